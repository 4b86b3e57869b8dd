import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../lib/handler/real-clock.ts';
import {
  complete,
  createJobs,
  defineJob,
  jobHandler,
  minutes,
  sweepHandler,
  type World,
} from '../../lib/index.ts';
import { later } from '../../lib/kernel/time.ts';
import { anEvent } from '../handler/world.ts';
import { commandOf } from './command-of.ts';
import { type Lossy, proxyBefore } from './proxy.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

const countJob = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  async run(job) {
    const result = await job.write('n.txt', String(job.input.n), { contentType: 'text/plain' });
    return complete({ result, data: { n: job.input.n } });
  },
});

const context = {
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Parameters<ReturnType<typeof jobHandler>>[1];

/** The same, with a manifest. */
const finishJob = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  finish: true,
  async run(job) {
    const result = await job.write('n.txt', String(job.input.n), { contentType: 'text/plain' });
    return complete({ result, data: { n: job.generation } });
  },
});

/** The parts of a world, which are made at first touch. */
const partsOf = ({ store, bucket, sender, visibility, clock, random, observe }: World): World => ({
  ...{ store, bucket, sender, visibility, clock, random, observe },
});

const ticking = (world: World, clock: World['clock']): World => ({ ...partsOf(world), clock });

/** A world in which nothing is hidden, and no end of a job ever arrives, nor its manifest unless that is left. */
function silent(world: World, isLeft: boolean): World {
  const { store, bucket, ...rest } = partsOf(world);
  return {
    ...rest,
    visibility: { hide: async (_queue, all) => all.map(() => 'hidden') },
    store: Object.assign(Object.create(store) as World['store'], {
      commit: (...args: Parameters<typeof store.commit>) => {
        const [[write]] = args;
        const isEnd = write?.kind === 'update' && write.set?.['status'] !== 'running';
        return isEnd ? Promise.resolve({ kind: 'unknown' }) : store.commit(...args);
      },
    }),
    bucket: Object.assign(Object.create(bucket) as World['bucket'], {
      create: (...args: Parameters<typeof bucket.create>) =>
        args[0].endsWith('/manifest.json') && !isLeft
          ? Promise.resolve({ kind: 'unknown' })
          : bucket.create(...args),
    }),
  };
}

async function submitted(world: World, intentId: string) {
  const made = await createJobs(world).submit(countJob, { intentId, input: { n: 1 } });
  if (made.kind === 'refused') throw made.failure;
  return made;
}

describe.skipIf(!hasEndpoint())('a job on AWS', () => {
  let at: Stand;
  let proxy: Lossy;
  let world: World;
  beforeAll(async () => {
    at = await stand();
    proxy = await proxyBefore(process.env['AWS_ENDPOINT_URL'] ?? '');
    world = at.at(proxy.url);
    return async () => proxy[Symbol.asyncDispose]();
  });

  it('costs one write to submit, one to claim, one object and one write to complete: no read, no transaction', async () => {
    proxy.clear();
    const { job } = await submitted(world, 'happy');
    const submitting = proxy.seen.map(({ operation }) => operation);
    const record = await commandOf(at.world, job);
    proxy.clear();

    const response = await jobHandler(countJob, world)(anEvent(record), context);

    expect(submitting).toEqual(['PutItem']);
    expect(proxy.seen.map(({ operation }) => operation)).toEqual([
      'UpdateItem',
      'PutObject',
      'UpdateItem',
    ]);
    expect(response).toEqual({ batchItemFailures: [] });
    expect(await createJobs(world).get(countJob, 'happy')).toMatchObject({
      status: 'succeeded',
      generation: 1,
      version: 3,
      data: { n: 1 },
      result: { size: 1 },
    });
  });

  it.each([
    ['its claim', 'UpdateItem', 0],
    ['its candidate', 'PutObject', 0],
    ['its completion', 'UpdateItem', 1],
  ])('is won once though the reply to %s gets lost', async (what, operation, skipped) => {
    const { job } = await submitted(world, what);
    const record = await commandOf(at.world, job);
    proxy.clear();
    const { store, bucket, sender } = world;
    const losing = { ...world, store, bucket, sender };
    if (skipped === 0) proxy.loseReply(operation);
    else {
      const { commit } = world.store;
      let commits = 0;
      losing.store = Object.assign(Object.create(world.store), {
        commit: (...args: Parameters<typeof commit>) => {
          commits += 1;
          if (commits === 2) proxy.loseReply(operation);
          return commit.apply(world.store, args);
        },
      });
    }

    const response = await jobHandler(countJob, losing)(anEvent(record), context);

    expect(response).toEqual({ batchItemFailures: [] });
    const row = await world.store.read('jobs', { pk: `job#${job.id}`, sk: 'job' });
    expect(row).toMatchObject({ status: 'succeeded', generation: 1, version: 3, failures: 0 });
    expect(row?.['events']).toHaveLength(2);
  });

  it.each([
    ['finished for', true, ['UpdateItem', 'GetObject', 'UpdateItem'], 1],
    [
      'taken over from',
      false,
      ['UpdateItem', 'GetObject', 'UpdateItem', 'PutObject', 'PutObject', 'UpdateItem'],
      2,
    ],
  ])(
    'with finish is %s a silent owner by one look at its manifest',
    async (what, isLeft, asked, by) => {
      const { job } = await submitted(world, what);
      const event = anEvent(await commandOf(at.world, job));
      const late = { ...realClock, now: () => later(realClock.now(), minutes(2)) };
      proxy.clear();

      const first = await jobHandler(finishJob, silent(world, isLeft))(event, context);
      const left = proxy.seen.map(({ operation }) => operation);
      proxy.clear();
      const second = await jobHandler(finishJob, ticking(world, late))(event, context);

      expect(left).toEqual(['UpdateItem', 'PutObject', ...(isLeft ? ['PutObject'] : [])]);
      expect(proxy.seen.map(({ operation }) => operation)).toEqual(asked);
      expect([first, second].map((it) => it.batchItemFailures.length)).toEqual([1, 0]);
      expect(await createJobs(world).get(finishJob, what)).toMatchObject({
        status: 'succeeded',
        generation: by,
        data: { n: by },
        result: { size: 1 },
      });
    },
  );

  it('is one job for fifty submitters, and one claim for fifty workers', async () => {
    const jobs = createJobs(at.world);
    const all = await Promise.all(
      Array.from({ length: 50 }, () =>
        jobs.submit(countJob, { intentId: 'race', input: { n: 1 } }),
      ),
    );
    const { job } = await submitted(at.world, 'race');
    const record = await commandOf(at.world, job);
    let runs = 0;
    let letGo = (): void => {};
    const othersAnswered = new Promise<void>((answered) => {
      letGo = answered;
    });
    const slow = defineJob({
      name: 'count',
      input: v.object({ n: v.number() }),
      async run() {
        runs += 1;
        await othersAnswered;
        return complete();
      },
    });

    let answers = 0;
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const response = await jobHandler(slow, at.world)(anEvent(record), context);
        answers += 1;
        if (answers === 49) letGo();
        return response;
      }),
    );

    expect(all.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(runs).toBe(1);
    expect(
      responses.filter(({ batchItemFailures }) => batchItemFailures.length === 0),
    ).toHaveLength(1);
  });

  it('hands its result out by an address', async () => {
    const { job } = await submitted(world, 'address');
    await jobHandler(countJob, world)(anEvent(await commandOf(at.world, job)), context);

    const result = await createJobs(at.world).result(countJob, 'address', {
      expiresIn: minutes(5),
    });

    const text = result.kind === 'ready' ? await (await fetch(result.url)).text() : '';
    expect(text).toBe('1');
  });

  it('is swept by way of the attention index', async () => {
    const swept = await sweepHandler(at.world)({}, context);

    expect(swept).toEqual({ found: 0, deleted: 0, left: 0 });
  });
});
