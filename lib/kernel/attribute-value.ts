import { permanent } from './failure.ts';
import type { Json } from './json.ts';

/** One value as DynamoDB's JSON carries it; `B` is base64 text, as in Lambda's stream events. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: boolean }
  | { L: AttributeValue[] }
  | { M: { [name: string]: AttributeValue } }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] };

type Value = Json | Uint8Array | bigint | undefined;

/**
 * A row in DynamoDB's JSON; fields without a value are left out.
 *
 * @throws Failure `number-invalid` for a number that DynamoDB can't hold with all its digits
 */
export const marshalled = (row: Readonly<Record<string, Value>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, marshalledValue(value)] as const],
    ),
  );

/** A row from DynamoDB's JSON; a field that is a whole number beyond 2^53 becomes a bigint, so that no digit is lost. */
export const unmarshalled = (
  image: Readonly<Record<string, AttributeValue>>,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    Object.entries(image).map(([name, value]) => [name, unmarshalledValue(value)]),
  );

function marshalledValue(value: Exclude<Value, undefined>): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { N: numberText(value) };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (isList(value)) return { L: value.map((item) => marshalledValue(item)) };
  return { M: marshalled(value) };
}

function unmarshalledValue(value: AttributeValue): Value {
  if ('S' in value) return value.S;
  if ('N' in value) return number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('B' in value) return new Uint8Array(Buffer.from(value.B, 'base64'));
  if ('M' in value)
    return Object.fromEntries(Object.entries(value.M).map(([name, item]) => [name, inside(item)]));
  if ('L' in value) return value.L.map(inside);
  return setOf(value);
}

/** What lies inside a list or map is JSON, whose numbers are doubles: as a bigint, no JSON text could carry it any more. */
function inside(value: AttributeValue): Json {
  const read = unmarshalledValue(value);
  return typeof read === 'bigint' ? Number(read) : (read as Json);
}

/** Sets are read as lists: this library writes none, a user's own rows may. */
function setOf(value: AttributeValue): Value {
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS.map(Number);
  return 'BS' in value ? value.BS : null;
}

/** DynamoDB's numbers have up to 38 digits; all but 0 are at least 10^-130 and less than 10^126 away from it. */
function numberText(value: number | bigint): string {
  const text = String(value);
  const magnitude = Math.abs(Number(value));
  const digits = text.replace(/^-|0+$/g, '').length;
  const isInRange = magnitude === 0 || (magnitude >= 1e-130 && magnitude < 1e126);
  if (isInRange && (typeof value === 'number' || digits <= 38)) return text;
  throw permanent(
    'number-invalid',
    `a number of a row lies between 1e-130 and 1e126 and has at most 38 digits, got ${text.slice(0, 60)}`,
  );
}

function number(text: string): number | bigint {
  const near = Number(text);
  if (!Number.isInteger(near) || Number.isSafeInteger(near)) return near;
  return BigInt(/^-?\d+$/.test(text) ? text : near);
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
