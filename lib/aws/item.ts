import type { AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import { type AttributeValue, marshalled, unmarshalled } from '../kernel/attribute-value.ts';
import type { Row } from '../ports/store.ts';

/** A row as the SDK sends it: as the table's stream shows it, but with bytes instead of base64 text. */
export const itemOf = (row: Row): Record<string, SdkValue> => sdkFields(marshalled(row));

/** A row as the SDK received it. */
export const rowOf = (item: Record<string, SdkValue>): Row => unmarshalled(imageOf(item));

const sdkFields = (fields: Record<string, AttributeValue>): Record<string, SdkValue> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, sdkValue(value)]));

function sdkValue(value: AttributeValue): SdkValue {
  if ('B' in value) return { B: Buffer.from(value.B, 'base64') };
  if ('BS' in value) return { BS: value.BS.map((text) => Buffer.from(text, 'base64')) };
  if ('L' in value) return { L: value.L.map(sdkValue) };
  if ('M' in value) return { M: sdkFields(value.M) };
  return value;
}

/** Fields as the table's stream shows them to a function: bytes are base64 text. */
export const imageOf = (fields: Record<string, SdkValue>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, ownValue(value)]));

function ownValue(value: SdkValue): AttributeValue {
  if (value.B !== undefined) return { B: Buffer.from(value.B).toString('base64') };
  if (value.BS !== undefined)
    return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('base64')) };
  if (value.L !== undefined) return { L: value.L.map(ownValue) };
  if (value.M !== undefined) return { M: imageOf(value.M) };
  return value as AttributeValue;
}
