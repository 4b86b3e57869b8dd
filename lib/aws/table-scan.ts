import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Row } from '../ports/store.ts';
import { tablesOf, type Variables } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { itemOf, rowOf } from './item.ts';

/** Which rows of which table, by our name for it; everything else is read and paid for, but not sent. */
export interface ScanOf {
  readonly table: string;
  /** How the partition key of a row begins. */
  readonly prefix: string;
}

/** One page of a scan, and what it cost. */
export interface ScanPage {
  readonly rows: readonly Row[];
  /** Rows that were read, whether they begin so or not. */
  readonly read: number;
  /** Read request units, as DynamoDB counts them. */
  readonly units: number;
}

/** Reads a whole table page by page, perhaps stale; whoever stops asking pays for no more. @throws Failure `setting-missing` */
export async function* tableScan(
  { table, prefix }: ScanOf,
  variables: Variables,
): AsyncGenerator<ScanPage> {
  const client = new DynamoDBClient(clientSettings({}));
  const pages = paginateScan(
    { client },
    {
      TableName: tablesOf({}, variables)[table],
      FilterExpression: 'begins_with(#pk, :prefix)',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ExpressionAttributeValues: itemOf({ ':prefix': prefix }),
      ReturnConsumedCapacity: 'TOTAL',
    },
  );
  for await (const { Items = [], ScannedCount = 0, ConsumedCapacity } of pages)
    yield {
      rows: Items.map(rowOf),
      read: ScannedCount,
      units: ConsumedCapacity?.CapacityUnits ?? 0,
    };
}
