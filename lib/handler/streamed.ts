import type { Placed } from '../batch/checkpoint.ts';
import { type Failure, permanent } from '../kernel/failure.ts';
import type { Batched } from './invocation.ts';
import type { Reading } from './reading.ts';
import type { KafkaPosition, StreamMessage } from './streams.ts';

/** A stream's record as it stands in its batch. */
export interface Streamed extends Batched, Placed {
  /** As a partial response names it. */
  readonly position: string | KafkaPosition;
  /** The ARN of what it came from. */
  readonly source: string;
  readonly message: Omit<StreamMessage<never, unknown, string | undefined>, 'body'>;
  /** Reads its body; what goes wrong is this record's failure. */
  read<Body>(reading: Reading<Body>): Promise<Body>;
}

/** The records of an event that lists them. @throws Failure `event-invalid` where it doesn't */
export function listed<R>(records: readonly R[], source: string): readonly R[] {
  const given: unknown = records;
  if (Array.isArray(given)) return records;
  throw foreign(`an event of ${source} has a list of Records, got ${typeof given}`);
}

/** A field without which a record has no place in an order. @throws Failure `event-invalid` where it is missing */
export function needed(value: unknown, field: string, index: number): string {
  if (typeof value === 'string' && value !== '') return value;
  throw foreign(`every record has ${field}, Records[${index}] has ${JSON.stringify(value)}`);
}

/** An event that no truthful answer could be given to. */
export const foreign = (sentence: string): Failure =>
  permanent('event-invalid', `${sentence}: is another source mapped to this function?`);

/** The text that base64 stands for. */
export const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
