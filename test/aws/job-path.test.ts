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

async function submitted(world: World, intentId: string) {
  const made = await createJobs(world).submit(countJob, { intentId, input: { n: 1 } });
  if (made.kind === 'refused') throw made.failure;
  return made;
}

describe.skipIf(!hasEndpoint())('a job on AWS', { timeout: 30_000 }, () => {
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
    const slow = defineJob({
      name: 'count',
      input: v.object({ n: v.number() }),
      async run() {
        runs += 1;
        await realClock.sleep(300 as never);
        return complete();
      },
    });

    const responses = await Promise.all(
      Array.from({ length: 50 }, () => jobHandler(slow, at.world)(anEvent(record), context)),
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
