import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Row } from '../ports/store.ts';

/** A row from DynamoDB's own form; a whole number beyond 2^53 is a bigint, and sets are lists. */
export function rowOf(item: Record<string, AttributeValue>): Row {
  const row = unmarshall(item, { wrapNumbers: number });
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Set ? [...value] : value]),
  );
}

function number(text: string): number | bigint {
  const near = Number(text);
  return Number.isInteger(near) && !Number.isSafeInteger(near) && /^-?\d+$/.test(text)
    ? BigInt(text)
    : near;
}
