import { bytesOf } from './bytes-of.ts';

/** What counts towards a message's size. */
export interface Sized {
  readonly body: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The bytes of a message as SQS and SNS count them: its body, and the name, type and value of each attribute (API references of SendMessage and SNS's MessageAttributeValue). */
export const messageSize = ({ body, attributes = {} }: Sized): number =>
  Object.entries(attributes).reduce(
    (size, [name, value]) => size + bytesOf(name) + bytesOf('String') + bytesOf(value),
    bytesOf(body),
  );
