import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { AwsSettings } from '../../lib/aws/index.ts';
import { onAws } from '../../lib/aws/index.ts';
import type { World } from '../../lib/index.ts';

/** Whether there is an endpoint to speak to. */
export const hasEndpoint = (): boolean => process.env['AWS_ENDPOINT_URL'] !== undefined;

/** Resources of their own for one suite, at the endpoint of the environment. */
export interface Stand {
  readonly settings: AwsSettings;
  readonly world: World;
  /** The same world behind another address of the endpoint. */
  at(endpoint: string): World;
}

/** Makes tables, a bucket and a queue with fresh names. */
export async function stand(): Promise<Stand> {
  const name = `lanekeeper-${process.pid}-${performance.now().toFixed(3).replace('.', '-')}`;
  const dynamo = new DynamoDBClient({});
  const tables: Record<string, string> = {};
  for (const table of ['jobs', 'ledger', 'care', 'own']) {
    tables[table] = `${name}-${table}`;
    await dynamo.send(new CreateTableCommand(tableOf(`${name}-${table}`, table === 'jobs')));
  }
  await new S3Client({ forcePathStyle: true }).send(new CreateBucketCommand({ Bucket: name }));
  const { QueueUrl = '' } = await new SQSClient({}).send(
    new CreateQueueCommand({
      QueueName: `${name}.fifo`,
      Attributes: {
        FifoQueue: 'true',
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      },
    }),
  );
  const settings = {
    tables,
    bucket: name,
    targets: { events: QueueUrl, 'commands-count': QueueUrl, 'dead-letters': QueueUrl },
  };
  return { settings, world: onAws(settings), at: (endpoint) => onAws({ ...settings, endpoint }) };
}

/** A table as infra makes it. */
export const tableOf = (TableName: string, isJobs: boolean) => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' as const },
    { AttributeName: 'sk', AttributeType: 'S' as const },
    ...(isJobs
      ? [
          { AttributeName: 'sweepShard', AttributeType: 'S' as const },
          { AttributeName: 'sweepAt', AttributeType: 'N' as const },
          { AttributeName: 'eventHour', AttributeType: 'S' as const },
          { AttributeName: 'eventAt', AttributeType: 'S' as const },
        ]
      : []),
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
  ...(isJobs
    ? {
        StreamSpecification: {
          StreamEnabled: true,
          StreamViewType: 'NEW_AND_OLD_IMAGES' as const,
        },
        GlobalSecondaryIndexes: [
          {
            IndexName: 'attention',
            KeySchema: [
              { AttributeName: 'sweepShard', KeyType: 'HASH' as const },
              { AttributeName: 'sweepAt', KeyType: 'RANGE' as const },
            ],
            Projection: { ProjectionType: 'ALL' as const },
          },
          {
            IndexName: 'time',
            KeySchema: [
              { AttributeName: 'eventHour', KeyType: 'HASH' as const },
              { AttributeName: 'eventAt', KeyType: 'RANGE' as const },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' as const },
          },
        ],
      }
    : {}),
});
