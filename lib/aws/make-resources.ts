import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Duration } from '../kernel/brand.ts';
import { attention, tables, targets, timeIndex } from '../kernel/settings.ts';
import { days } from '../kernel/time.ts';
import { clientSettings } from './client-settings.ts';
import { checkQueueNames, queueNameParts } from './queue-names.ts';
import { nameOf } from './trouble.ts';

/** A queue that shall exist, with its dead-letter queue beside it. */
export interface WantedQueue {
  /** FIFO when it ends in `.fifo`. */
  readonly name: string;
  readonly visibilityTimeout: Duration;
  readonly maxReceiveCount: number;
  /** Where its messages come from: the relay, the topic of events, or somebody else. */
  readonly role: 'commands' | 'consumer' | 'own';
}

/** Resources that shall exist at an endpoint, all with one prefix. */
export interface Wanted {
  readonly endpoint: string;
  readonly prefix: string;
  /** Tables beside `jobs`, `ledger` and `care`. */
  readonly tables: readonly string[];
  readonly queues: readonly WantedQueue[];
}

/** Real names of what exists now. */
export interface Resources {
  readonly tables: Readonly<Record<string, string>>;
  readonly bucket: string;
  readonly targets: Readonly<Record<string, string>>;
  /** Queue URLs and ARNs by their names in the plan. */
  readonly queues: Readonly<Record<string, QueueAddress>>;
}

/** Where a queue is. */
export interface QueueAddress {
  readonly url: string;
  readonly arn: string;
  /** The URL or ARN of its dead-letter queue, if it has one. */
  readonly deadLetters?: string;
}

/** Makes what is missing of tables, bucket, topic and queues, and leaves alone what is there. Meant for emulators: nothing is encrypted, retained or granted. @throws Failure `queue-name-too-long` before anything is made */
export async function makeResources(wanted: Wanted): Promise<Resources> {
  const { prefix, endpoint } = wanted;
  checkQueueNames(
    prefix,
    wanted.queues.map(({ name }) => name),
  );
  const settings = clientSettings({ endpoint });
  const names = [tables.jobs, tables.ledger, tables.care, ...wanted.tables];
  const named = Object.fromEntries(names.map((name) => [name, `${prefix}-${name}`]));
  const bucket = `${prefix}-results`;
  const dynamo = new DynamoDBClient(settings);
  const sqs = new SQSClient(settings);
  const sns = new SNSClient(settings);
  await makeBucket(new S3Client({ ...settings, forcePathStyle: true }), bucket);
  await Promise.all(
    Object.entries(named).map(([name, real]) => makeTable(dynamo, real, name === tables.jobs)),
  );
  const topic = await makeTopic(sns, `${prefix}-${targets.events}.fifo`);
  const queues: Record<string, QueueAddress> = {};
  for (const queue of wanted.queues) queues[queue.name] = await makePair(sqs, prefix, queue);
  for (const { name, role } of wanted.queues)
    if (role === 'consumer') await subscribe(sns, topic, queues[name]?.arn ?? '');
  for (const client of [dynamo, sqs, sns]) client.destroy();
  return { tables: named, bucket, queues, targets: targetsOf(wanted.queues, queues, topic) };
}

const targetsOf = (
  wanted: readonly WantedQueue[],
  queues: Readonly<Record<string, QueueAddress>>,
  topic: string,
): Readonly<Record<string, string>> => ({
  [targets.events]: topic,
  ...Object.fromEntries(
    wanted
      .filter(({ role }) => role === 'commands')
      .map(({ name }) => [name.replace(/\.fifo$/, ''), queues[name]?.url ?? '']),
  ),
});

async function makeBucket(s3: S3Client, Bucket: string): Promise<void> {
  await unless(['BucketAlreadyOwnedByYou'], s3.send(new CreateBucketCommand({ Bucket })));
  s3.destroy();
}

async function makeTable(client: DynamoDBClient, name: string, isJobs: boolean): Promise<void> {
  await unless(
    ['ResourceInUseException'],
    client.send(new CreateTableCommand(shape(name, isJobs))),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
}

async function makeTopic(sns: SNSClient, Name: string): Promise<string> {
  const { TopicArn = '' } = await sns.send(
    new CreateTopicCommand({ Name, Attributes: { FifoTopic: 'true' } }),
  );
  return TopicArn;
}

/** Raw, so that a message's body is the event itself. */
const subscribe = (sns: SNSClient, TopicArn: string, Endpoint: string) =>
  sns.send(
    new SubscribeCommand({
      TopicArn,
      Endpoint,
      Protocol: 'sqs',
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );

async function makePair(
  sqs: SQSClient,
  prefix: string,
  { name, visibilityTimeout, maxReceiveCount }: WantedQueue,
): Promise<QueueAddress> {
  const { plain, suffix } = queueNameParts(prefix, name);
  const base = {
    VisibilityTimeout: String(Math.ceil(visibilityTimeout / 1_000)),
    MessageRetentionPeriod: String(days(14) / 1_000),
  };
  const fixed = suffix
    ? {
        FifoQueue: 'true',
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      }
    : {};
  const dead = await makeQueue(sqs, `${plain}-dead${suffix}`, { base, fixed });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount });
  const made = await makeQueue(sqs, `${plain}${suffix}`, {
    base: { ...base, RedrivePolicy },
    fixed,
  });
  return { ...made, deadLetters: dead.url };
}

interface Attributes {
  /** What may be changed later. */
  readonly base: Record<string, string>;
  readonly fixed: Record<string, string>;
}

/** A queue that exists with other numbers gets these. */
async function makeQueue(
  sqs: SQSClient,
  QueueName: string,
  { base, fixed }: Attributes,
): Promise<QueueAddress> {
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName, Attributes: fixed }),
  );
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: base }));
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return { url: QueueUrl, arn: Attributes['QueueArn'] ?? '' };
}

async function unless(names: readonly string[], made: Promise<unknown>): Promise<void> {
  await made.catch((thrown: unknown) => {
    if (!names.includes(nameOf(thrown))) throw thrown;
  });
}

const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
const hash = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' as const });
const range = (AttributeName: string) => ({ AttributeName, KeyType: 'RANGE' as const });

const shape = (TableName: string, isJobs: boolean): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [hash('pk'), range('sk')],
  AttributeDefinitions: [text('pk'), text('sk'), ...(isJobs ? indexedFields() : [])],
  ...(isJobs ? jobsOnly() : {}),
});

const indexedFields = (): CreateTableCommandInput['AttributeDefinitions'] & object => [
  text(attention.key.pk),
  { AttributeName: attention.key.sk, AttributeType: 'N' as const },
  text(timeIndex.key.pk),
  text(timeIndex.key.sk),
];

const jobsOnly = () => ({
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const },
  GlobalSecondaryIndexes: [
    {
      IndexName: attention.index,
      KeySchema: [hash(attention.key.pk), range(attention.key.sk)],
      Projection: { ProjectionType: 'ALL' as const },
    },
    {
      IndexName: timeIndex.index,
      KeySchema: [hash(timeIndex.key.pk), range(timeIndex.key.sk)],
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    },
  ],
});
