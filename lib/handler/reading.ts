import { permanent } from '../kernel/failure.ts';
import { type Schema, spokenIssues } from '../kernel/schema.ts';

/** How text becomes a body: by exactly one of `schema` (JSON first) and `parse`; a refusal is that record's permanent failure. */
export type Reading<Body> =
  | {
      readonly schema: Schema<unknown, Body>;
      /** Takes the body out of an SNS notification or an EventBridge event first. @default the body is the message itself */
      readonly unwrap?: 'sns' | 'event-bridge';
      readonly parse?: never;
    }
  | {
      /** Makes the body of the whole text; what it throws is the record's permanent failure. */
      readonly parse: (text: string) => Body | Promise<Body>;
      readonly schema?: never;
      readonly unwrap?: never;
    };

/** @throws Failure `setting-invalid` unless there are a handler and one way to read */
export function checkReading({
  schema,
  parse,
  handle,
}: Reading<unknown> & { readonly handle: unknown }): void {
  if (typeof handle !== 'function')
    throw permanent('setting-invalid', `handle is a function, got ${typeof handle}`);
  if ((schema === undefined) !== (parse === undefined)) return;
  throw permanent(
    'setting-invalid',
    'a handler reads its bodies by exactly one of schema and parse',
  );
}

/** Reads a body. @throws Failure `body-not-json`, `body-not-wrapped` or `body-invalid`, permanent and without the body itself */
export async function bodyOf<Body>(reading: Reading<Body>, text: string): Promise<Body> {
  if (reading.parse !== undefined) return parsed(reading.parse, text);
  return valid(reading.schema, unwrapped(json(text), reading.unwrap));
}

/** What a schema makes of a value. @throws Failure `body-invalid`, permanent and without the value itself */
export async function valid<Body>(schema: Schema<unknown, Body>, value: unknown): Promise<Body> {
  const checked = await schema['~standard'].validate(value);
  if (checked.issues === undefined) return checked.value;
  throw permanent(
    'body-invalid',
    `the body is not what the schema asks for: ${spokenIssues(checked.issues)}`,
  );
}

async function parsed<Body>(
  parse: (text: string) => Body | Promise<Body>,
  text: string,
): Promise<Body> {
  try {
    return await parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : typeof cause;
    throw permanent('body-unreadable', `the parser refused the body: ${why}`, { cause });
  }
}

/** @throws Failure `body-not-json` */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw permanent(
      'body-not-json',
      `the body must be JSON, got ${text.length} characters that are not`,
    );
  }
}

/** What SNS or EventBridge wrapped. @throws Failure `body-not-wrapped` or `body-not-json` */
export function unwrapped(value: unknown, wrapping: 'sns' | 'event-bridge' | undefined): unknown {
  if (wrapping === undefined) return value;
  const field = wrapping === 'sns' ? 'Message' : 'detail';
  const inner = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  if (wrapping === 'event-bridge' && inner !== undefined) return inner;
  if (wrapping === 'sns' && typeof inner === 'string') return json(inner);
  throw permanent(
    'body-not-wrapped',
    `unwrap is '${wrapping}', so the body must have a field "${field}"`,
  );
}
