import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CheckedSettings, checkResources } from '../../lib/aws/index.ts';
import { minutes } from '../../lib/kernel/time.ts';
import { hasEndpoint, type Stand, stand, tableOf } from './stand.ts';

const codes = async (settings: CheckedSettings) =>
  (await checkResources(settings)).map(({ code }) => code);

/** A port of the loopback that nobody listens on. */
const nowhere = 'http://127.0.0.1:1';

const freshName = () =>
  `lanekeeper-${process.pid}-${performance.now().toFixed(3).replace('.', '-')}`;

describe.skipIf(!hasEndpoint())('a check of resources', () => {
  let at: Stand;
  beforeAll(async () => {
    at = await stand();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** What is wrong with a jobs table like the right one, but for this. */
  async function jobsTable(change: Partial<CreateTableCommandInput>) {
    const TableName = freshName();
    const right = tableOf(TableName, true);
    await new DynamoDBClient({}).send(new CreateTableCommand({ ...right, ...change }));
    const found = await checkResources({
      ...at.settings,
      tables: { ...at.settings.tables, jobs: TableName },
    });
    return { name: TableName, found: found.map(({ code, message }) => ({ code, message })) };
  }

  async function queue(Attributes: Record<string, string>): Promise<string> {
    const QueueName = freshName() + (Attributes['FifoQueue'] === 'true' ? '.fifo' : '');
    const made = await new SQSClient({}).send(new CreateQueueCommand({ QueueName, Attributes }));
    return made.QueueUrl ?? '';
  }

  async function topic(Attributes: Record<string, string>): Promise<string> {
    const Name = freshName() + (Attributes['FifoTopic'] === 'true' ? '.fifo' : '');
    const made = await new SNSClient({}).send(new CreateTopicCommand({ Name, Attributes }));
    return made.TopicArn ?? '';
  }

  it('finds nothing wrong where nothing is', async () => {
    const targets = { ...at.settings.targets, news: await topic({ FifoTopic: 'true' }) };

    expect(await checkResources({ ...at.settings, targets })).toEqual([]);
  });

  it('names a jobs table whose stream is switched off, and what to do', async () => {
    const { name, found } = await jobsTable({ StreamSpecification: { StreamEnabled: false } });

    expect(found).toEqual([
      {
        code: 'stream-off',
        message: `the table "${name}" ("jobs" here) has no stream, so no event would be published: switch it on with NEW_AND_OLD_IMAGES`,
      },
    ]);
  });

  it.each(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE'] as const)(
    'names a stream that shows too little: %s',
    async (StreamViewType) => {
      const StreamSpecification = { StreamEnabled: true, StreamViewType };

      const { found } = await jobsTable({ StreamSpecification });

      expect(found).toMatchObject([
        { code: 'stream-off', message: expect.stringContaining(StreamViewType) },
      ]);
    },
  );

  const keys = (pk: string, sk: string) => [
    { AttributeName: pk, KeyType: 'HASH' as const },
    { AttributeName: sk, KeyType: 'RANGE' as const },
  ];
  const texts = (...names: string[]) =>
    names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));
  const index = (IndexName: string, pk: string, sk: string) => ({
    GlobalSecondaryIndexes: [
      { IndexName, KeySchema: keys(pk, sk), Projection: { ProjectionType: 'ALL' as const } },
    ],
  });

  it.each<[string, Partial<CreateTableCommandInput>, string, string]>([
    [
      'without its index',
      { GlobalSecondaryIndexes: undefined, AttributeDefinitions: texts('pk', 'sk') },
      'index-missing',
      '"attention"',
    ],
    [
      'whose index has another name',
      {
        ...index('care', 'sweepShard', 'sk'),
        AttributeDefinitions: texts('pk', 'sk', 'sweepShard'),
      },
      'index-missing',
      '"attention"',
    ],
    [
      'whose index has other keys',
      {
        ...index('attention', 'sweepShard', 'sk'),
        AttributeDefinitions: texts('pk', 'sk', 'sweepShard'),
      },
      'index-keys-wrong',
      'sweepShard (S), sk (S)',
    ],
    [
      'whose index has keys of another type',
      {
        ...index('attention', 'sweepShard', 'sweepAt'),
        AttributeDefinitions: texts('pk', 'sk', 'sweepShard', 'sweepAt'),
      },
      'index-keys-wrong',
      'sweepAt (S)',
    ],
  ])('names a jobs table %s', async (_, change, code, shown) => {
    const { found } = await jobsTable(change);

    expect(found).toMatchObject([{ code, message: expect.stringContaining(shown) }]);
  });

  it('names a table with other keys, and takes one of your own without a sort key', async () => {
    const [wrong, alone] = [freshName(), freshName()];
    const dynamo = new DynamoDBClient({});
    const BillingMode = 'PAY_PER_REQUEST';
    await dynamo.send(
      new CreateTableCommand({
        TableName: wrong,
        BillingMode,
        AttributeDefinitions: texts('id', 'at'),
        KeySchema: keys('id', 'at'),
      }),
    );
    await dynamo.send(
      new CreateTableCommand({
        TableName: alone,
        BillingMode,
        AttributeDefinitions: texts('pk'),
        KeySchema: keys('pk', '').slice(0, 1),
      }),
    );
    const withTables = (tables: Record<string, string>) =>
      checkResources({ ...at.settings, tables: { ...at.settings.tables, ...tables } });

    expect(await withTables({ own: alone })).toEqual([]);
    expect(await withTables({ ledger: alone })).toMatchObject([
      { code: 'table-keys-wrong', message: expect.stringContaining('has the keys pk (S):') },
    ]);
    expect(await withTables({ own: wrong })).toMatchObject([
      {
        code: 'table-keys-wrong',
        message: `the table "${wrong}" ("own" here) has the keys id (S), at (S): make it anew with pk (S), sk (S), since keys can't be changed`,
      },
    ]);
  });

  it('names standard queues and topics where FIFO is needed', async () => {
    const targets = { events: await topic({}), 'commands-count': await queue({}) };

    const found = await checkResources({ ...at.settings, targets });

    expect(found.map(({ code, message }) => ({ code, message }))).toEqual([
      {
        code: 'topic-not-fifo',
        message: `the topic "${targets.events}" ("events" here) is a standard topic, which keeps no order: make a FIFO topic, whose name ends in .fifo, and name it in LANEKEEPER_TARGETS`,
      },
      {
        code: 'queue-not-fifo',
        message: `the queue "${targets['commands-count']}" ("commands-count" here) is a standard queue, which keeps no order: make a FIFO queue, whose name ends in .fifo, and name it in LANEKEEPER_TARGETS`,
      },
    ]);
  });

  it('names a queue that hides messages for less than its function may run', async () => {
    const work = await queue({ FifoQueue: 'true', VisibilityTimeout: '60' });
    const targets = { ...at.settings.targets, work };
    const within = (length: number) =>
      checkResources({ ...at.settings, targets, timeouts: { work: minutes(length) } });

    expect(await within(1)).toEqual([]);
    expect(await within(2)).toMatchObject([
      {
        code: 'queue-visibility-short',
        message: `the queue "${work}" ("work" here) hides a message for 60 s, but its function may run for 120 s: set its visibility timeout to 720 s`,
      },
    ]);
  });

  it('names everything that does not exist, once each, with the variable that names it', async () => {
    const region = process.env['AWS_REGION'];
    const arn = (service: string, name: string) =>
      `arn:aws:${service}:${region}:000000000000:${name}`;
    const url = at.settings.targets?.['events']?.replace(/[^/]+$/, 'missing.fifo') ?? '';

    const found = await checkResources({
      tables: { ...at.settings.tables, ledger: 'missing', care: 'missing' },
      bucket: 'missing-bucket',
      targets: {
        'commands-count': url,
        events: arn('sns', 'missing.fifo'),
        mine: arn('sqs', 'missing.fifo'),
        bus: arn('events', 'event-bus/missing'),
      },
    });

    expect(found.map(({ code }) => code)).toEqual([
      'table-missing',
      'bucket-missing',
      'queue-missing',
      'topic-missing',
      'queue-missing',
      'bus-missing',
    ]);
    expect(found.map(({ message }) => message)).toMatchObject([
      `the table "missing" ("ledger", "care" here) does not exist in ${region}: create it, or name another one in LANEKEEPER_TABLES`,
      `the bucket "missing-bucket" does not exist in ${region}: create it, or name another one in LANEKEEPER_BUCKET`,
      `the queue "${url}" ("commands-count" here) does not exist in ${region}: create it, or name another one in LANEKEEPER_TARGETS`,
      expect.stringContaining('("events" here)'),
      expect.stringContaining('("mine" here)'),
      expect.stringContaining('("bus" here)'),
    ]);
  });

  it('reads a queue by its ARN', async () => {
    const name = at.settings.targets?.['events']?.split('/').at(-1);
    const region = process.env['AWS_REGION'];
    const targets = { events: `arn:aws:sqs:${region}:000000000000:${name}` };

    expect(await checkResources({ ...at.settings, targets })).toEqual([]);
  });

  it('says once that no endpoint answers, and where', async () => {
    const found = await checkResources({ ...at.settings, endpoint: nowhere });

    expect(found).toMatchObject([
      {
        code: 'endpoint-unreachable',
        message: `nothing answers at ${nowhere} (ECONNREFUSED): start what should run there, or check AWS_ENDPOINT_URL, the region and the network`,
      },
    ]);
  });

  it('says of each endpoint that does not answer, in one sentence, and goes on with the others', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', nowhere);
    vi.stubEnv('AWS_ENDPOINT_URL_S3', 'http://nowhere.invalid');

    const [found, ...others] = await checkResources({ ...at.settings, targets: { events: 'x' } });

    expect(found).toMatchObject({ code: 'endpoint-unreachable' });
    expect(found?.message).toContain('http://127.0.0.1:1, http://nowhere.invalid');
    expect(others).toMatchObject([{ code: 'setting-malformed' }]);
  });

  it.each(['127.0.0.1:1', 'somewhere'])(
    'says once that an endpoint is no URL: %s',
    async (endpoint) => {
      const found = await checkResources({ ...at.settings, endpoint });

      expect(found).toMatchObject([
        { code: 'endpoint-malformed', message: expect.stringContaining(JSON.stringify(endpoint)) },
      ]);
    },
  );

  it('says once that there is no region', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');

    expect(await codes(at.settings)).toEqual(['region-missing']);
  });

  it('says once that there are no credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');

    expect(await codes(at.settings)).toEqual(['credentials-missing']);
  });

  it('takes names from the environment, and names each variable that is missing or malformed', async () => {
    vi.stubEnv('LANEKEEPER_TABLES', JSON.stringify(at.settings.tables));
    vi.stubEnv('LANEKEEPER_TARGETS', 'events');

    expect((await checkResources()).map(({ code, facts }) => ({ code, ...facts }))).toEqual([
      { code: 'setting-missing', variable: 'LANEKEEPER_BUCKET' },
      { code: 'setting-malformed', variable: 'LANEKEEPER_TARGETS' },
    ]);
  });
});
