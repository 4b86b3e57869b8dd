import { readFileSync } from 'node:fs';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { catalogueCheck } from '../../demo/catalogue-check.ts';
import { fileDatasets } from '../../functions/export/file-datasets.ts';
import { exportJob } from '../../functions/export/job.ts';
import { createJobs } from '../../lib/index.ts';
import type { Envelope } from '../../lib/kernel/envelope.ts';
import { type SampleStack, sampleStack } from './sample-stack.ts';

const datasets = ['cars.json', 'penguins.json', 'barley.json', 'wheat.json'];

/** Twelve exports, three in each of four groups, in the order in which they are submitted. */
const exports = Array.from({ length: 12 }, (_, i) => ({
  intentId: `export-${i}`,
  groupId: `customer-${i % 4}`,
  dataset: datasets[(i * 3) % datasets.length] ?? '',
}));

/** Only its name and input matter here: the datasets are with the worker. */
const job = exportJob(fileDatasets({}));

const intents = (group: string) =>
  exports.filter(({ groupId }) => groupId === group).map(({ intentId }) => intentId);

/** Takes everything out of a queue, until nothing comes for a second. */
async function drained(QueueUrl: string): Promise<readonly Envelope[]> {
  const sqs = new SQSClient({});
  const taken: Envelope[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    if (Messages.length === 0) return taken;
    for (const { Body = '', ReceiptHandle } of Messages) {
      taken.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

describe("the sample behind Lambda's own mappings", { timeout: 180_000 }, () => {
  let stack: SampleStack;
  let events: readonly Envelope[];
  const succeeded = (of: readonly Envelope[]) =>
    of.filter(({ type }) => type === 'export.succeeded');

  beforeAll(async () => {
    stack = await sampleStack(datasets);
    const jobs = createJobs(stack.world);
    for (const { intentId, groupId, dataset } of exports) {
      const made = await jobs.submit(job, {
        intentId,
        groupId,
        input: { dataset, format: 'ndjson' },
      });
      expect(made.kind).toBe('created');
    }
    const gathered: Envelope[] = [];
    await vi.waitFor(
      async () => {
        gathered.push(...(await drained(stack.events)));
        expect(succeeded(gathered).length).toBeGreaterThanOrEqual(exports.length);
      },
      { timeout: 150_000, interval: 500 },
    );
    events = [...gathered, ...(await drained(stack.events))];
  }, 180_000);
  afterAll(async () => stack?.[Symbol.asyncDispose]());

  it('finishes every export that was submitted, at its first attempt', async () => {
    const jobs = createJobs(stack.world);

    const views = await Promise.all(exports.map(({ intentId }) => jobs.get(job, intentId)));

    expect(views.map((view) => [view?.status, view?.generation])).toEqual(
      exports.map(() => ['succeeded', 1]),
    );
  });

  it('publishes one completion of each job, with its intent', () => {
    expect(
      succeeded(events)
        .map(({ intentid }) => intentid)
        .sort(),
    ).toEqual(exports.map(({ intentId }) => intentId).sort());
  });

  it('runs the jobs of a group one after another, in the order of their commands', () => {
    for (const group of new Set(exports.map(({ groupId }) => groupId))) {
      const done = succeeded(events).filter(({ groupid }) => groupid === group);
      expect(done.map(({ intentid }) => intentid)).toEqual(intents(group));
      expect(done.map(({ time }) => time)).toEqual(done.map(({ time }) => time).sort());
    }
  });

  it.each(exports.slice(0, 4))('hands out every row of $dataset', async ({ intentId, dataset }) => {
    const result = await createJobs(stack.world).result(job, intentId);

    const text = result.kind === 'ready' ? await (await fetch(result.url)).text() : '';
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual(
      JSON.parse(readFileSync(`node_modules/vega-datasets/data/${dataset}`, 'utf8')),
    );
  });

  it('keeps a catalogue whose exports and totals are what the jobs say', async () => {
    const jobs = createJobs(stack.world);
    const views = await Promise.all(exports.map(({ intentId }) => jobs.get(job, intentId)));
    const known = views.flatMap((view) => (view === undefined ? [] : [view]));

    await vi.waitFor(
      async () => expect((await catalogueCheck(stack.world.store, known)).wrong).toEqual([]),
      { timeout: 60_000, interval: 500 },
    );
    const { exports: shown, totals } = await catalogueCheck(stack.world.store, known);
    expect(shown).toBe(12);
    expect(totals.map((total) => total.exports)).toEqual([3, 3, 3, 3]);
  });

  it('leaves nothing behind for the sweeper', async () => {
    expect(await stack.sweep()).toEqual({ found: 0, deleted: 0, left: 0 });
  });
});
