import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { permanent } from '../kernel/failure.ts';
import type { Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { DynamoStore } from './dynamo-store.ts';
import { transactItemOf } from './transact-item-of.ts';

/** The same write as an item for a transaction of your own SDK code. @throws Failure for a world that isn't on AWS */
export function transactItem(write: Write, { store }: World): TransactWriteItem {
  if (store instanceof DynamoStore) return transactItemOf(write, store.tableName(write.table));
  throw permanent('world-not-on-aws', 'transactItem needs a world that onAws() made');
}
