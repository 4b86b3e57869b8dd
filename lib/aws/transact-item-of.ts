import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Key, Write } from '../ports/store.ts';
import { expressionOf } from './expression.ts';
import { itemOf } from './item.ts';

/** A check without guards holds. */
const always = 'attribute_exists(pk) OR attribute_not_exists(pk)';

/** A write as an item of a transaction. */
export function transactItemOf(write: Write, TableName: string): TransactWriteItem {
  const request = {
    TableName,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ...expressionOf(write),
  };
  const Key = keyOf(write.key);
  switch (write.kind) {
    case 'put':
      return { Put: { ...request, Item: itemOf({ ...write.fields, ...write.key }) } };
    case 'update':
      return { Update: { ...request, Key, UpdateExpression: request.UpdateExpression ?? '' } };
    case 'delete':
      return { Delete: { ...request, Key } };
    case 'check':
      return {
        ConditionCheck: {
          ...request,
          Key,
          ConditionExpression: request.ConditionExpression ?? always,
        },
      };
  }
}

/** A key in DynamoDB's own form. */
export const keyOf = ({ pk, sk }: Key): Record<string, AttributeValue> =>
  itemOf(sk === undefined ? { pk } : { pk, sk });
