import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isNews } from '../../lib/handler/is-news.ts';
import {
  complete,
  createJobs,
  defineJob,
  jobHandler,
  relayHandler,
  type Store,
  type World,
} from '../../lib/index.ts';
import { headKey } from '../../lib/job/head.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { startLaptop } from '../../lib/local/index.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

const shape = { input: v.object({}), group: () => 'G', run: async () => complete() };
const ordered = defineJob({ name: 'ordered', order: 'submission', ...shape });
const free = defineJob({ name: 'free', ...shape });

/** What the stream holds, in batches as a mapping makes them. */
const records = (world: AWorld): DynamoDBRecord[] =>
  world.stream.shards().flatMap((shard) => shard.records.splice(0).map(({ record }) => record));

const relayed = async (world: AWorld, Records: readonly DynamoDBRecord[]) =>
  relayHandler(world)({ Records: Records.filter(isNews) }, aContext(world));

/** The intents of the commands that were sent, in order. */
const sent = (world: AWorld): string[] =>
  world.sent
    .filter(({ target }) => target === 'commands-ordered')
    .map(({ entry }) => JSON.parse(entry.body).intentid);

/** A world whose commits take turns, some of them without a reply, and the order in which submissions were committed. */
function raced(world: AWorld, scheduler: fc.Scheduler, isLost: () => boolean) {
  const commits: string[] = [];
  const store: Store = {
    knows: (table) => world.store.knows(table),
    read: (...all) => world.store.read(...all),
    query: (...all) => world.store.query(...all),
    scan: (...all) => world.store.scan(...all),
    async commit(writes) {
      await scheduler.schedule(Promise.resolve());
      const commit = await world.store.commit(writes);
      const intent = writes[0]?.kind === 'put' ? writes[0].fields['intentId'] : undefined;
      if (commit.kind === 'committed' && intent !== undefined) commits.push(String(intent));
      return isLost() ? { kind: 'unknown' } : commit;
    },
  };
  const clock = { now: () => world.clock.now(), sleep: async () => {}, alarm: () => () => {} };
  const own: World = { ...world, store, clock };
  return { own, commits };
}

describe('jobs in the order of their submission', () => {
  it('are announced by their group’s head alone, in one transaction with their row', async () => {
    const world = aWorld();
    await createJobs(world).submit(ordered, { intentId: 'a', input: {} });

    expect(world.job('ordered', 'a')).toMatchObject({ order: 'submission', lastN: 1 });
    expect(world.job('ordered', 'a')['news']).toBeUndefined();
    expect(world.store.peek(tables.jobs, headKey('ordered', 'G'))).toMatchObject({
      order: 1,
      command: { id: jobId('ordered', 'a'), event: { n: 1, channel: 'commands' } },
    });
    const batch = records(world);
    await relayed(world, batch);
    await relayed(world, batch);

    const commands = world.sent.map(({ entry }) => entry);
    expect(new Set(commands.map(({ id }) => id)).size).toBe(1);
    expect(commands[0]?.group).toBe('G');
    expect(JSON.parse(commands[0]?.body ?? '')).toMatchObject({
      type: 'ordered.run',
      subject: jobId('ordered', 'a'),
      id: `${jobId('ordered', 'a')}:${world.job('ordered', 'a')['incarnation']}:1`,
    });
  });

  it('are submitted once, and a repeat, another input and another group are told apart as ever', async () => {
    const world = aWorld();
    const jobs = createJobs(world);

    const first = await jobs.submit(ordered, { intentId: 'a', input: {} });
    const second = await jobs.submit(ordered, { intentId: 'a', input: {} });
    const other = await jobs.submit(ordered, { intentId: 'a', input: {}, groupId: 'H' });

    expect([first.kind, second.kind, other.kind]).toEqual(['created', 'existing', 'refused']);
    expect(first).toMatchObject({ job: { status: 'queued', version: 1, groupId: 'G' } });
    expect(world.store.peek(tables.jobs, headKey('ordered', 'G'))).toMatchObject({ order: 1 });
    expect(world.store.peek(tables.jobs, headKey('ordered', 'H'))).toBeUndefined();
  });

  it('cost one transaction of two rows to submit, and other kinds one put as before', async () => {
    const world = aWorld();
    const jobs = createJobs(world);

    expect(await jobs.submitWrites(free, { intentId: 'a', input: {} })).toHaveLength(1);
    expect(await jobs.submitWrites(ordered, { intentId: 'a', input: {} })).toMatchObject([
      { kind: 'put', key: { sk: 'job' } },
      { kind: 'update', key: { sk: 'head' }, when: [], add: { order: 1 } },
    ]);
  });

  it('reach their queue in the order of the commits, whoever submits, whatever is lost on the way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
        fc.nat({ max: 8 }),
        async (scheduler, losses, sizes, dropped) => {
          const world = aWorld();
          let at = 0;
          const { own, commits } = raced(world, scheduler, () => losses[at++] ?? false);
          const jobs = createJobs(own);
          const submitter = async (name: string) => {
            for (const n of [1, 2, 3]) {
              const request = { intentId: `${name}${n}`, input: {} };
              if (n === 2) await own.store.commit(await jobs.submitWrites(ordered, request));
              else await jobs.submit(ordered, request).catch(() => {});
            }
          };
          await scheduler.waitFor(Promise.all(['a', 'b', 'c'].map(submitter)));

          const stream = records(world);
          const heads = stream.filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === 'head');
          const lost = heads[dropped];
          const left = stream.filter((record) => record !== lost);
          while (left.length > 0) await relayed(world, left.splice(0, sizes.next().value));

          const missing = lost?.dynamodb?.NewImage?.['command']?.M?.['intentId']?.S;
          expect(commits).toHaveLength(9);
          expect(sent(world)).toEqual(commits.filter((intent) => intent !== missing));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keep their order through an outage of the queue, since what is behind waits', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    for (const intentId of ['a', 'b', 'c']) await jobs.submit(ordered, { intentId, input: {} });
    const batch = records(world);
    world.verdicts.push([{ kind: 'outage', why: 'gone' }], [{ kind: 'outage', why: 'gone' }]);

    const { batchItemFailures } = await relayed(world, batch);
    const from = batchItemFailures[0]?.itemIdentifier;
    const at = batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === from);
    expect(sent(world)).toEqual([]);
    await relayed(world, batch.slice(at));

    expect(sent(world)).toEqual(['a', 'b', 'c']);
  });

  it('that follow another job are announced in the commit that ends it', async () => {
    const first = defineJob({
      name: 'first',
      input: v.object({}),
      run: async (job) =>
        complete({ alongside: await job.next(ordered, { intentId: 'next', input: {} }) }),
    });
    await using laptop = await startLaptop({ jobs: [first, ordered] });
    await laptop.jobs.submit(first, { intentId: 'a', input: {} });

    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    expect(await laptop.jobs.get(ordered, 'next')).toMatchObject({ status: 'succeeded' });
    expect(laptop.row(tables.jobs, headKey('ordered', 'G'))).toMatchObject({ order: 1 });
  });

  it('run one after the other in that order, put back or not, beside a kind without one', async () => {
    const ran: string[] = [];
    const failing = defineJob({
      name: 'ordered',
      order: 'submission',
      ...shape,
      async run(job) {
        ran.push(job.intentId);
        if (job.intentId.endsWith('5') && job.generation === 1) throw new Error('once');
        return complete();
      },
    });
    await using laptop = await startLaptop({ jobs: [failing, free], workers: 3 });
    for (let n = 10; n < 40; n++) {
      await laptop.jobs.submit(failing, { intentId: `${n}`, input: {} });
      await laptop.jobs.submit(free, { intentId: `${n}`, input: {} });
    }

    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    const expected = Array.from({ length: 30 }, (_, i) => `${i + 10}`);
    expect(ran).toEqual(expected.flatMap((n) => (n.endsWith('5') ? [n, n] : [n])));
  });

  it('are worked on by the same commands as others', async () => {
    const world = aWorld();
    await createJobs(world).submit(ordered, { intentId: 'a', input: {} });
    await relayed(world, records(world));
    const body = world.sent[0]?.entry.body ?? '';

    await jobHandler(ordered, world)(anEvent(aRecord('A1', { body })), aContext(world));
    await relayed(world, records(world));

    expect(world.job('ordered', 'a')).toMatchObject({ status: 'succeeded', lastN: 2 });
    expect(world.sent.map(({ target }) => target)).toEqual(['commands-ordered', 'events']);
  });

  it('refuse an order that there isn’t', () => {
    expect(() => defineJob({ name: 'x', ...shape, order: 'fifo' as 'submission' })).toThrow(
      /order of job "x" is 'submission' or left out, got "fifo"/,
    );
  });

  it('refuse two next jobs of one group in one completion, which no transaction takes', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    const two = await Promise.all(
      ['a', 'b'].map((intentId) => jobs.submitWrites(ordered, { intentId, input: {} })),
    );

    await expect(world.store.commit(two.flat())).rejects.toMatchObject({ code: 'writes-collide' });
  });
});
