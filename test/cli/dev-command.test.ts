import { execSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEndpoint } from '../aws/stand.ts';
import { until } from '../dev/project.ts';
import { lanekeeper } from './lanekeeper.ts';

const root = process.cwd();
let empty = '';
let project = '';
beforeAll(() => {
  empty = mkdtempSync(join(tmpdir(), 'lanekeeper-cli-'));
  mkdirSync('.lanekeeper', { recursive: true });
  project = mkdtempSync(join(root, '.lanekeeper', 'cli-'));
  writeFileSync(
    join(project, 'lanekeeper.config.ts'),
    `import { defineConfig, done, fifoHandler } from 'lanekeeper';
     export default defineConfig({ queues: { 'own.fifo': (world) => fifoHandler({ parse: String, handle: async () => done() }, world) } });`,
  );
});
afterAll(() => {
  for (const folder of [empty, project]) rmSync(folder, { recursive: true, force: true });
});

/** Also of one that was killed and whose parent has not asked how it ended. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The shape of a jobs table that somebody made by hand. */
const withoutStream = (TableName: string): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
});

describe('the command lanekeeper', () => {
  it.each([
    ['no endpoint', [], /^endpoint-missing: no endpoint is named: .*AWS_ENDPOINT_URL/],
    [
      'an endpoint that is no URL',
      ['--endpoint', 'localhost:4566'],
      /^setting-malformed: .*got "localhost:4566"/,
    ],
    [
      'a prefix that no bucket can bear',
      ['--endpoint', 'http://127.0.0.1:1', '--prefix', 'My_App'],
      /^setting-malformed: --prefix .*got "My_App"/,
    ],
    [
      'no worker',
      ['--endpoint', 'http://127.0.0.1:1', '--workers', '0'],
      /^setting-malformed: --workers .*got "0"/,
    ],
    [
      'half a second',
      ['--endpoint', 'http://127.0.0.1:1', '--timeout', '0.5'],
      /^setting-malformed: --timeout .*got "0.5"/,
    ],
    [
      'a visibility of more than 12 hours',
      ['--endpoint', 'http://127.0.0.1:1', '--visibility', '43201'],
      /^setting-malformed: --visibility .*got "43201"/,
    ],
    [
      'an option that it doesn’t know',
      ['--port', '1'],
      /^usage-wrong: Unknown option '--port' \(lanekeeper dev --help\)/,
    ],
    [
      'a config that isn’t there',
      ['--endpoint', 'http://127.0.0.1:1', '--config', 'none.ts'],
      /^config-missing: there is no file .*none\.ts/,
    ],
  ])('ends with one sentence for %s', async (_, args, sentence) => {
    const { code, err, out } = await lanekeeper(project, ['dev', ...args]);

    expect(err).toMatch(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect([code, out]).toEqual([2, '']);
  });

  it('says what to do about a config that this Node can’t read', async () => {
    const file = join(project, 'lanekeeper.config.tsx');
    writeFileSync(file, 'export default {};');

    const { code, err } = await lanekeeper(project, [
      ...['dev', '--endpoint', 'http://127.0.0.1:1', '--config', file],
    ]);

    expect(err).toMatch(/^config-invalid: Node v\d+\.\S+ can't read .*\.tsx .*JavaScript/);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('says how to write a config where there is none', async () => {
    const { code, err } = await lanekeeper(empty, ['dev', '--endpoint', 'http://127.0.0.1:1']);

    expect(err).toMatch(/^config-missing: there is no lanekeeper\.config\.ts in .*defineConfig/);
    expect(code).toBe(2);
  });

  it('tells its usage, and ends badly for a command that it doesn’t know', async () => {
    expect(await lanekeeper(empty, ['--help'])).toMatchObject({ code: 0, err: '' });
    expect((await lanekeeper(empty, ['dev', '--help'])).out).toContain('--visibility SECONDS');
    expect(await lanekeeper(empty, ['fly'])).toMatchObject({ code: 2 });
  });

  it('ends with one sentence where nobody answers', async () => {
    const { code, err } = await lanekeeper(project, [
      'dev',
      '--endpoint',
      // Nobody listens there, and nobody else is given it.
      'http://127.0.0.1:1',
    ]);

    expect(err).toMatch(/^endpoint-unreachable: .*127\.0\.0\.1/);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('ends when it is asked to while the code never ends loading, and leaves no process behind', async () => {
    const folder = mkdtempSync(join(root, '.lanekeeper', 'cli-'));
    writeFileSync(
      join(folder, 'lanekeeper.config.ts'),
      `import { writeSync } from 'node:fs'; writeSync(1, 'loading in ' + process.pid + '\\n'); for (;;);`,
    );

    const { code, out, err } = await lanekeeper(
      folder,
      ['dev', '--endpoint', 'http://127.0.0.1:1'],
      { at: (text, end) => text.includes('loading in') && end() },
    );

    rmSync(folder, { recursive: true });
    expect([code, err]).toEqual([0, '']);
    const pid = Number(/loading in (\d+)/.exec(out)?.[1]);
    expect(pid).toBeGreaterThan(0);
    await until(() => !isAlive(pid), 'its process was gone');
  });

  it.skipIf(!hasEndpoint())(
    'tells everything that is wrong with given resources, a sentence each, before anything runs',
    async () => {
      const { AWS_ENDPOINT_URL = '' } = process.env;
      const { QueueUrl = '' } = await new SQSClient({}).send(
        new CreateQueueCommand({ QueueName: `cli-${process.pid}-standard` }),
      );
      const TableName = `cli-${process.pid}-by-hand`;
      await new DynamoDBClient({}).send(new CreateTableCommand(withoutStream(TableName)));

      const { code, err, out } = await lanekeeper(
        project,
        ['dev', '--endpoint', AWS_ENDPOINT_URL],
        {
          env: {
            LANEKEEPER_TABLES: JSON.stringify({
              jobs: TableName,
              ledger: 'no-ledger',
              care: 'no-care',
            }),
            LANEKEEPER_BUCKET: 'no-bucket',
            LANEKEEPER_TARGETS: JSON.stringify({ own: QueueUrl }),
          },
        },
      );

      const codes = err
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0]);
      expect(codes.toSorted()).toEqual([
        'bucket-missing',
        'index-missing',
        'queue-not-fifo',
        'stream-off',
        'table-missing',
        'table-missing',
      ]);
      expect(err).toContain(`"${TableName}"`);
      expect([code, out]).toEqual([1, '']);
    },
  );

  it.skipIf(!hasEndpoint())(
    'says what runs where, and leaves no process behind when it ends',
    async () => {
      const { AWS_ENDPOINT_URL = '' } = process.env;
      const { code, out, err } = await lanekeeper(
        project,
        ['dev', '--endpoint', AWS_ENDPOINT_URL, '--prefix', `cli-${process.pid}`],
        { at: (text, end) => text.includes('settings ') && end() },
      );

      expect([code, err]).toEqual([0, '']);
      expect(out).toContain(`endpoint  ${AWS_ENDPOINT_URL}`);
      expect(out).toContain('queue     own.fifo');
      const pids = [...out.matchAll(/process (\d+) started/g)].map(([, pid]) => Number(pid));
      expect(pids.length).toBeGreaterThan(0);
      await until(() => !pids.some(isAlive), 'its processes were gone');
    },
  );

  it.skipIf(!hasEndpoint())(
    'prints a line that runs a process of your own, and rewrites its settings before it tells of a reload',
    async () => {
      const { AWS_ENDPOINT_URL = '' } = process.env;
      const folder = mkdtempSync(join(root, '.lanekeeper', 'cli-'));
      const config = (...names: readonly string[]) =>
        writeFileSync(
          join(folder, 'lanekeeper.config.ts'),
          `import { defineConfig, defineJob, complete } from 'lanekeeper';
           import * as v from 'valibot';
           const job = (name: string) => defineJob({ name, input: v.object({}), run: async () => complete() });
           export default defineConfig({ jobs: ${JSON.stringify(names)}.map(job) });`,
        );
      config('first');
      writeFileSync(
        join(folder, 'app.ts'),
        `import { onAws } from 'lanekeeper/aws'; onAws().store; console.log(process.env.LANEKEEPER_TARGETS as string);`,
      );
      const told: string[] = [];
      /** Runs the line, as somebody would whose path has the system's Node. */
      const run = (out: string) => {
        const line = /^settings .* processes: (.+)\n/m.exec(out)?.[1] ?? 'false';
        told.push(execSync(line, { cwd: folder, env: { PATH: '/usr/bin:/bin' } }).toString());
      };

      const { code, err } = await lanekeeper(
        folder,
        ['dev', '--endpoint', AWS_ENDPOINT_URL, '--prefix', `own-${process.pid}`],
        {
          at(out, end) {
            if (told.length === 0 && /^settings .*\n/m.test(out)) {
              run(out);
              config('first', 'second');
            }
            if (told.length === 1 && out.includes('reloaded, new: commands-second')) {
              run(out);
              end();
            }
          },
        },
      );

      rmSync(folder, { recursive: true });
      expect([code, err]).toEqual([0, '']);
      const targets = told.map((text) => Object.keys(JSON.parse(text)).sort());
      expect(targets).toEqual([
        ['commands-first', 'events'],
        ['commands-first', 'commands-second', 'events'],
      ]);
    },
  );
});
