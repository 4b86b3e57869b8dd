import type { DynamoDBRecord } from 'aws-lambda';

/**
 * Where a batch comes back from, as Lambda reads a partial response: the lowest sequence number named. Nothing named is
 * success; an identifier that is empty, missing or unknown, and a response that isn't an object, fail the whole batch.
 */
export function checkpoint(
  response: unknown,
  records: readonly DynamoDBRecord[],
): number | undefined {
  if (response === null || response === undefined) return undefined;
  if (typeof response !== 'object' || Array.isArray(response)) return 0;
  const named: unknown = Reflect.get(response, 'batchItemFailures');
  if (named === null || named === undefined) return undefined;
  if (!Array.isArray(named)) return 0;
  if (named.length === 0) return undefined;
  const positions = named.map((item: unknown) =>
    records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === identifierOf(item)),
  );
  return Math.max(0, Math.min(...positions));
}

const identifierOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? Reflect.get(item, 'itemIdentifier') : undefined;
