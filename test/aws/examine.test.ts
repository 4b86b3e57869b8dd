import { execFile } from 'node:child_process';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DeleteEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExaminedSettings } from '../../lib/aws/aws-settings.ts';
import { examine } from '../../lib/aws/examine.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { heartbeat } from '../../lib/outbox/ledger.ts';
import {
  aCommandQueue,
  aMapping,
  type Deployed,
  deployed,
  ofQueue,
  ofStream,
  streamOf,
} from './deployed.ts';
import { type Lossy, proxyBefore } from './proxy.ts';
import { arnOf } from './queues.ts';
import { hasEndpoint, stand } from './stand.ts';

const codes = async (settings: ExaminedSettings) =>
  (await examine(settings)).findings.map(({ level, code }) => `${level} ${code}`);

const before = (): Promise<Lossy> => proxyBefore(process.env['AWS_ENDPOINT_URL'] ?? '');

/** What a function on a schedule prints, run by itself with these names in its environment. */
function printed(settings: ExaminedSettings): Promise<readonly string[]> {
  const code = "await (await import('./lib/entry/doctor.ts')).handler();";
  const env = {
    ...process.env,
    LANEKEEPER_TABLES: JSON.stringify(settings.tables),
    LANEKEEPER_BUCKET: settings.bucket,
    LANEKEEPER_TARGETS: JSON.stringify(settings.targets),
    LANEKEEPER_MAPPINGS: JSON.stringify(settings.mappings),
  };
  return new Promise((ended, failed) => {
    const args = ['--input-type=module', '--eval', code];
    execFile(process.execPath, args, { env }, (error, out) =>
      error === null ? ended(out.trim().split('\n')) : failed(error),
    );
  });
}

describe.skipIf(!hasEndpoint())('an examination', () => {
  let at: Deployed;
  beforeAll(async () => {
    at = await deployed();
    const { store, clock } = at.world;
    await store.commit([heartbeat(clock.now(), clock.now())]);
  });

  /** The mappings with another one in the place of one of them. */
  const mapped = (name: string, id: string): ExaminedSettings => ({
    ...at.settings,
    mappings: { ...at.settings.mappings, [name]: id },
  });

  it('finds nothing in a stack that is well, says what it looked at, and leaves no row behind', async () => {
    await using proxy = await before();
    const rows = async () => {
      const command = new ScanCommand({ TableName: at.settings.tables?.[tables.jobs] });
      return (await new DynamoDBClient({}).send(command)).Count;
    };

    const { findings, looked } = await examine({
      ...at.settings,
      endpoint: proxy.url,
      dryCalls: true,
    });

    expect(findings).toEqual([]);
    expect(looked).toEqual([
      `tables: ${Object.values(at.settings.tables ?? {}).join(', ')}`,
      `bucket: ${at.settings.bucket}`,
      'targets: events, commands-count, dead-letters',
      '2 event source mappings, with their queues and functions',
      'the relay last ran 0 min ago',
      '10 calls that change nothing, made with your own credentials',
      "this machine's clock: within 2 s of that of AWS",
    ]);
    expect(await rows()).toBe(0);
    expect(proxy.seen.filter(({ operation }) => operation === 'PutItem')).toEqual(
      Array(3).fill({ operation: 'PutItem', status: 400 }),
    );
  });

  it('tries no write unless it is asked to', async () => {
    await using proxy = await before();

    await examine({ ...at.settings, endpoint: proxy.url });

    const operations = new Set(proxy.seen.map(({ operation }) => operation));
    expect([...operations].toSorted()).toEqual([
      'DescribeTable',
      'GetItem',
      'GetObject',
      'GetQueueAttributes',
      'GetQueueUrl',
      'event-source-mappings',
      'functions',
    ]);
  });

  it('looks at no mapping where none is named, and warns of a relay that never ran', async () => {
    const { settings } = await stand();

    const { findings, looked } = await examine(settings);

    expect(findings).toMatchObject([{ level: 'warning', code: 'relay-never-ran' }]);
    expect(looked).toContain('no event source mapping, since none is named');
  });

  it('names a mapping that is disabled, and one that is gone', async () => {
    const queue = await aCommandQueue();
    const id = await aMapping(at.name, await arnOf(queue), { ...ofQueue, Enabled: false });
    const settings = {
      ...mapped('commands-count', id),
      targets: { ...at.settings.targets, 'commands-count': queue },
    };

    expect(await codes(settings)).toEqual(['error mapping-disabled']);
    await new LambdaClient({}).send(new DeleteEventSourceMappingCommand({ UUID: id }));
    expect((await examine(settings)).findings).toEqual([
      {
        level: 'error',
        code: 'mapping-missing',
        sentence: expect.stringContaining(`the mapping "${id}" ("commands-count" here) does not`),
      },
    ]);
  });

  it('names the mapping of another table’s stream', async () => {
    const { settings } = await stand();
    const other = await streamOf(settings.tables?.['jobs']);
    const id = await aMapping(at.name, other, { ...ofStream, Enabled: false });

    expect(await codes(mapped('relay', id))).toEqual([
      'error mapping-disabled',
      'error stream-changed',
    ]);
  });

  it('names a queue that no mapping reads', async () => {
    const targets = { ...at.settings.targets, 'commands-other': await aCommandQueue() };

    expect(await codes({ ...at.settings, targets })).toEqual(['error queue-unread']);
  });

  it('judges a queue by its function’s timeout, and by its dead letters', async () => {
    const QueueUrl = await aCommandQueue();
    const id = await aMapping(at.name, await arnOf(QueueUrl), ofQueue);
    const settings = {
      ...mapped('commands-count', id),
      targets: { ...at.settings.targets, 'commands-count': QueueUrl },
    };
    const Attributes = { VisibilityTimeout: '359', RedrivePolicy: '' };

    expect(await codes(settings)).toEqual([]);
    await new SQSClient({}).send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    expect(await codes(settings)).toEqual([
      'error queue-visibility-short',
      'error queue-without-dead-letters',
    ]);
  });

  it.each([
    ['PutItem', 'dynamodb:PutItem', 3],
    ['UpdateItem', 'dynamodb:UpdateItem', 3],
    ['HeadObject', 's3:GetObject', 1],
  ])(
    'warns of a caller who is denied %s, by the name of the action',
    async (operation, action, count) => {
      await using proxy = await before();
      proxy.deny(operation);

      const { findings } = await examine({ ...at.settings, endpoint: proxy.url, dryCalls: true });

      expect(findings).toHaveLength(count);
      for (const { level, code, sentence } of findings) {
        expect([level, code]).toEqual(['warning', 'call-denied']);
        expect(sentence).toContain(`refuses ${action} to whoever runs this check`);
      }
    },
  );

  it('names what it may not look at, and doesn’t judge what it can’t see', async () => {
    await using proxy = await before();
    proxy.deny('event-source-mappings');
    proxy.deny('GetItem');

    const { findings } = await examine({ ...at.settings, endpoint: proxy.url });

    expect(findings.map(({ code }) => code)).toEqual(Array(3).fill('access-denied'));
    expect(findings[0]?.sentence).toContain('allow lambda:GetEventSourceMapping to whoever');
    expect(findings[2]?.sentence).toContain('allow dynamodb:GetItem to whoever');
  });

  it.each([
    ['ahead of', -60_000],
    ['behind', 60_000],
  ])('names a clock that is %s that of AWS', async (which, shift) => {
    await using proxy = await before();
    proxy.shiftClock(shift);

    const { findings } = await examine({ ...at.settings, endpoint: proxy.url });

    expect(findings).toMatchObject([
      {
        level: 'error',
        code: 'clock-skewed',
        sentence: expect.stringContaining(` s ${which} that`),
      },
    ]);
  });

  it('stops where nothing can be looked at, with that alone', async () => {
    const settings = { ...at.settings, endpoint: 'http://127.0.0.1:1', dryCalls: true };

    expect(await codes(settings)).toEqual(['error endpoint-unreachable']);
    expect((await examine(settings)).looked).toEqual([]);
  });

  it('is printed by the doctor’s function, which tries no write', async () => {
    const lines = await printed(mapped('commands-count', 'gone'));

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { kind: 'doctor-finding', level: 'error', code: 'mapping-missing' },
      {
        kind: 'doctor-looked',
        errors: 1,
        warnings: 0,
        looked: expect.not.arrayContaining([expect.stringContaining('calls that change nothing')]),
      },
    ]);
  });

  it('tells a missing table once', async () => {
    const missing = { ...at.settings.tables, jobs: 'missing', ledger: 'missing-ledger' };

    expect(await codes({ ...at.settings, tables: missing, dryCalls: true })).toEqual([
      'error table-missing',
      'error table-missing',
    ]);
  });
});
