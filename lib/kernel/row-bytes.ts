import { bytesOf } from './bytes-of.ts';
import type { Json } from './json.ts';

type Value = Json | Uint8Array | bigint | undefined;

/** A row's size in bytes as DynamoDB counts it: names and values, with a little for every list and map inside. */
export const rowBytes = (row: Readonly<Record<string, Value>>): number =>
  Object.entries(row).reduce((size, [name, value]) => size + bytesOf(name) + valueBytes(value), 0);

function valueBytes(value: Value): number {
  if (value === undefined) return 0;
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value === 'number' || typeof value === 'bigint') return numberBytes(String(value));
  if (value === null || typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  const items = Object.values<Value>(value);
  const names = Array.isArray(value) ? 0 : bytesOf(Object.keys(value).join(''));
  return items.reduce<number>((size, item) => size + 1 + valueBytes(item), 3 + names);
}

/** A byte for two significant digits, one more for the exponent, and one for a minus. */
function numberBytes(text: string): number {
  const digits = text
    .replace(/e.*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
