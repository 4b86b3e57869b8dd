import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { catalogueCheck, type ExportView } from '../../demo/catalogue-check.ts';
import { fileDatasets } from '../../functions/export/file-datasets.ts';
import { exportJob } from '../../functions/export/job.ts';
import { onAws } from '../../lib/aws/index.ts';
import { createJobs, type Jobs, type World } from '../../lib/index.ts';
import { destroyed } from '../../scripts/cdk.ts';
import { deploymentAt } from '../../scripts/emulators/sample-deployment.ts';
import { type Ended, results } from '../kill/verdict.ts';
import { type Answer, deployedApi } from './api.ts';
import { asks } from './asks.ts';
import { functionsWith } from './processes.ts';
import { namesOfStack, resourcesOf, stackName } from './stack.ts';

const datasets = 'node_modules/vega-datasets/data';
const job = exportJob(fileDatasets(datasets));

/** Every sixth is asked for through the API. */
const isByApi = (i: number): boolean => i % 6 === 0;
const kills = 20;

const sleep = (ms: number) => new Promise((go) => setTimeout(go, ms));

/** The emulator answers one after the other, so it isn't asked for all at once. */
async function inPortions<A, B>(all: readonly A[], ask: (one: A) => Promise<B>): Promise<B[]> {
  const answers: B[] = [];
  for (let i = 0; i < all.length; i += 8)
    answers.push(...(await Promise.all(all.slice(i, i + 8).map(ask))));
  return answers;
}

/** Waits until every job has ended; whoever can't be asked now is asked again. */
async function allEnded(jobs: Jobs): Promise<void> {
  let open = asks;
  await vi.waitFor(
    async () => {
      const isOpen = await inPortions(open, async ({ intentId }) => {
        const view = await jobs.get(job, intentId).catch(() => undefined);
        return view === undefined || view.status === 'queued' || view.status === 'running';
      });
      open = open.filter((_, i) => isOpen[i]);
      expect(open.map(({ intentId }) => intentId)).toEqual([]);
    },
    { timeout: 600_000, interval: 2_000 },
  );
}

/** Kills a function's process that is at work for this stack, again and again; all of them know its bucket. */
async function killing(bucket: string): Promise<readonly string[]> {
  const killed: string[] = [];
  while (killed.length < kills) {
    const all = functionsWith(bucket).filter(({ name }) => /Job|Consumer|Relay/.test(name));
    const one = all[killed.length % Math.max(1, all.length)];
    if (one !== undefined) {
      process.kill(one.pid, 'SIGKILL');
      killed.push(one.name);
    }
    await sleep(700);
  }
  return killed;
}

describe('the sample as it was deployed', { timeout: 300_000 }, () => {
  let world: World;
  let answers: readonly Answer[];
  let killed: readonly string[];
  let ended: readonly Ended[];
  let views: readonly ExportView[];
  let api: (call: Parameters<Awaited<ReturnType<typeof deployedApi>>>[0]) => Promise<Answer>;

  beforeAll(async () => {
    const names = await namesOfStack();
    const [catalogue = ''] = [...(await resourcesOf('AWS::DynamoDB::Table'))]
      .filter(([id]) => id.startsWith('Catalogue'))
      .map(([, name]) => name);
    world = onAws({ ...names, tables: { ...names.tables, catalogue } });
    api = await deployedApi();
    const jobs = createJobs(world);
    const killer = killing(names.bucket);
    const submitted: Answer[] = [];
    for (const [i, { intentId, groupId, input }] of asks.entries())
      if (isByApi(i))
        submitted.push(await api({ method: 'POST', body: { intentId, groupId, input } }));
      else await jobs.submit(job, { intentId, groupId, input });
    answers = submitted;
    killed = await killer;
    await allEnded(jobs);
    const seen = await inPortions(asks, async (ask) => {
      const view = await jobs.get(job, ask.intentId);
      const row = await world.store.read('jobs', { pk: `job#${view?.id}`, sk: 'job' });
      return { ask, row: row ?? {}, view };
    });
    ended = seen;
    views = seen.flatMap(({ view }) => (view === undefined ? [] : [view]));
  }, 900_000);

  it('takes every export, fifty of them through the API', () => {
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 202));
    expect(answers).toHaveLength(50);
  });

  it('ends every export once, with the bytes of an undisturbed run, though twenty processes were killed', async () => {
    expect(killed).toHaveLength(kills);
    expect(ended).toHaveLength(300);
    for (const { name, wrong } of await results(ended, world, datasets))
      expect([name, wrong]).toEqual([name, []]);
  });

  it('shows status and result of each through the API', async () => {
    const { intentId } = asks[0] ?? { intentId: '' };
    const status = await api({ path: `/exports/${intentId}` });
    const result = await api({ path: `/exports/${intentId}/result` });

    expect([status.statusCode, JSON.parse(status.body ?? '{}').status]).toEqual([200, 'succeeded']);
    expect(result.statusCode).toBe(302);
    expect((await fetch(result.headers?.['location'] ?? '')).ok).toBe(true);
  });

  it('brings each end into the catalogue once, so that exports and totals are what the jobs say', async () => {
    await vi.waitFor(
      async () => expect((await catalogueCheck(world.store, views)).wrong).toEqual([]),
      { timeout: 120_000, interval: 2_000 },
    );
    const { exports, totals } = await catalogueCheck(world.store, views);

    expect(exports).toBe(300);
    expect(totals.map((total) => total.exports)).toEqual(Array.from({ length: 60 }, () => 5));
  });

  it('leaves no message in any queue, and no dead letter', async () => {
    const sqs = new SQSClient({});
    const queues = [...(await resourcesOf('AWS::SQS::Queue')).values()];
    const left = async () => {
      const counts = await Promise.all(
        queues.map(async (QueueUrl) => {
          const { Attributes = {} } = await sqs.send(
            new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
          );
          const {
            ApproximateNumberOfMessages: visible,
            ApproximateNumberOfMessagesNotVisible: hidden,
          } = Attributes;
          return Number(visible) + Number(hidden);
        }),
      );
      return counts;
    };

    expect(queues).toHaveLength(4);
    await vi.waitFor(async () => expect(await left()).toEqual([0, 0, 0, 0]), {
      timeout: 240_000,
      interval: 2_000,
    });
  });
});

describe('the sample once it was destroyed', { timeout: 300_000 }, () => {
  const ours = (name = ''): boolean => name.includes(stackName);

  it('has left no stack, no function, no mapping and no queue', async () => {
    await destroyed(deploymentAt(process.env['AWS_ENDPOINT_URL'] ?? ''));

    const lambda = new LambdaClient({});
    const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    const { QueueUrls = [] } = await new SQSClient({}).send(new ListQueuesCommand({}));

    await expect(namesOfStack()).rejects.toThrow(/does not exist/);
    expect(Functions.filter(({ FunctionName }) => ours(FunctionName))).toEqual([]);
    expect(EventSourceMappings.filter(({ FunctionArn }) => ours(FunctionArn))).toEqual([]);
    expect(QueueUrls.filter(ours)).toEqual([]);
  });
});
