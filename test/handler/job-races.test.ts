import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  createJobs,
  defineJob,
  jobHandler,
  minutes,
  retryLater,
  type Store,
  seconds,
  type Write,
} from '../../lib/index.ts';
import { commandOf, commands, countJob, counts, relayed, slept } from './count-job.ts';
import { type AWorld, aContext, anEvent, aWorld } from './world.ts';

const text = { contentType: 'text/plain' };

const order: Write = {
  kind: 'put',
  table: 'own',
  key: { pk: 'order' },
  fields: { state: 'exported' },
  when: [{ kind: 'absent', why: 'the order is new' }],
};

/** Hands the command of job `A1` to a worker; answers what comes back. */
async function worked(world: AWorld, job: ReturnType<typeof countJob>, store: Store = world.store) {
  const [record] = await commands(world, job, 'A1');
  const handler = jobHandler(job, { ...world, store });
  const response = await slept(
    world,
    handler(anEvent(record ?? commandOf(world, 'A1')), aContext(world)),
  );
  return response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const forward = (world: AWorld, by: number) => world.clock.step((world.clock.now() + by) as never);

describe('a completion with writes alongside', () => {
  it('is decided anew when the job moved, and commits each of them once', async () => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async () => {
      await createJobs(world).cancel(job, 'A1');
      return complete({ alongside: [order] });
    });

    const left = await worked(world, job);

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded' });
    expect(world.store.peek('own', { pk: 'order' })).toMatchObject({ state: 'exported' });
  });

  it('that its own guards refuse ends a job whose cancellation was asked for meanwhile', async () => {
    const world = aWorld();
    await world.store.commit([order]);
    const job: ReturnType<typeof countJob> = countJob(async () => {
      await createJobs(world).cancel(job, 'A1', { because: 'too late' });
      return complete({ alongside: [order] });
    });

    const left = await worked(world, job);

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'cancelled', failures: 0 });
    expect(await relayed(world)).toMatchObject([{ data: { because: 'too late' } }]);
  });

  it('that is lost to another owner commits none of them', async () => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async () => {
      await createJobs(world).release(job, 'A1');
      return complete({ alongside: [order] });
    });

    const left = await worked(world, job);

    expect(left).toEqual(['A1']);
    expect(world.store.peek('own', { pk: 'order' })).toBeUndefined();
  });

  it('that would write the job’s own row fails the job, whose row stays its own', async () => {
    const world = aWorld();
    const job = countJob(async () => {
      const { pk = '', sk = '' } = world.job('count', 'A1') as { pk?: string; sk?: string };
      const own: Write = { ...order, table: 'jobs', key: { pk, sk }, when: [] };
      return complete({ alongside: [own] });
    });

    await worked(world, job);

    expect(world.job('count', 'A1')).toMatchObject({
      status: 'failed',
      generation: 1,
      failure: { code: 'writes-collide' },
    });
  });
});

describe('a note whose reply comes after the end', () => {
  it('does not change what the end is told to have been', async () => {
    const world = aWorld();
    let replied = (): void => {};
    const late = new Promise<void>((resolve) => {
      replied = resolve;
    });
    const store: Store = Object.assign(Object.create(world.store), {
      commit: async (writes: readonly Write[]) => {
        const commit = await world.store.commit(writes);
        const [write] = writes;
        if (write?.kind === 'update' && write.set?.['progress'] !== undefined) await late;
        if (write?.kind === 'update' && write.set?.['status'] === 'cancelled') {
          replied();
          await new Promise((resolve) => setImmediate(resolve));
        }
        return commit;
      },
    });
    const job: ReturnType<typeof countJob> = countJob(async (attempt) => {
      void attempt.progress({ half: true });
      await new Promise((resolve) => setImmediate(resolve));
      await createJobs(world).cancel(job, 'A1');
      return retryLater({ after: seconds(5) });
    });

    const left = await worked(world, job, store);

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'cancelled' });
    expect(world.kinds()).toContain('job-cancelled');
    expect(world.kinds()).not.toContain('job-released');
  });
});

describe('a stream that the deadline meets half-way', () => {
  it('may end within the grace, and its job completes', async () => {
    const world = aWorld();
    const job = countJob(async (attempt) => {
      const source = (async function* () {
        yield 'a';
        forward(world, seconds(58));
        expect(attempt.signal.aborted).toBe(true);
        yield 'b';
      })();
      return complete({ result: await attempt.write('file', source, text) });
    });

    const left = await worked(world, job);

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', result: { size: 2 } });
  });

  it('is closed behind the grace: nothing is created, and the job is put back with a mark', async () => {
    const world = aWorld();
    let late: Promise<unknown> = Promise.resolve();
    const job = countJob(async (attempt) => {
      const source = (async function* () {
        yield 'a';
        forward(world, seconds(58));
        forward(world, seconds(1));
        yield 'b';
      })();
      late = attempt.write('file', source, text);
      return complete({ result: (await late) as never });
    });

    const left = await worked(world, job);

    await expect(late).rejects.toMatchObject({ code: 'attempt-closed' });
    expect(left).toEqual(['A1']);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'queued', sweeps: 0 });
    const keys: string[] = [];
    for await (const key of world.bucket.list('results/')) keys.push(key);
    expect(keys).toEqual([]);
  });
});

describe('a command', () => {
  it('works on a standard queue too, each by itself', async () => {
    const world = aWorld();
    const job = countJob(counts);
    const records = (await commands(world, job, 'A1', 'A2')).map((record) => ({
      ...record,
      eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:queue',
    }));

    const response = await jobHandler(job, world)(anEvent(...records), aContext(world));

    expect(response.batchItemFailures).toEqual([]);
    for (const name of ['A1', 'A2'])
      expect(world.job('count', name)).toMatchObject({ status: 'succeeded', generation: 1 });
  });

  it('whose schema throws in the worker is a counted failure, like any of the job’s code', async () => {
    const world = aWorld();
    await commands(world, countJob(counts), 'A1');
    const validate = () => {
      throw new TypeError('the schema is broken');
    };
    const broken = defineJob({
      name: 'count',
      input: { '~standard': { version: 1, vendor: 'own', validate } },
      limits: { failures: 2 },
      run: async () => complete(),
    });
    const handler = jobHandler(broken, world);
    const command = anEvent(commandOf(world, 'A1'));

    const first = await handler(command, aContext(world));
    const between = world.job('count', 'A1');
    const second = await handler(command, aContext(world));

    expect([first, second].map((it) => it.batchItemFailures.length)).toEqual([1, 0]);
    expect(between).toMatchObject({ status: 'queued', failures: 1 });
    expect(world.job('count', 'A1')).toMatchObject({
      status: 'failed',
      failure: { message: 'TypeError: the schema is broken' },
    });
  });
});

describe('a lease', () => {
  it.each([
    ['the invocation’s own deadline', minutes(15), minutes(1), seconds(60 + 7)],
    [
      'its own limit and the grace, where that is shorter',
      seconds(20),
      minutes(1),
      seconds(21 + 7),
    ],
  ])('outlasts %s by a request and the skew', async (_, attempt, time, wanted) => {
    const world = aWorld();
    const seen: unknown[] = [];
    const job = countJob(
      async (own) => {
        seen.push(world.job('count', 'A1')['leaseUntil']);
        return counts(own);
      },
      { attempt },
    );
    const [record] = await commands(world, job, 'A1');

    await jobHandler(job, world)(anEvent(record ?? commandOf(world, 'A1')), aContext(world, time));

    expect(seen).toEqual([world.clock.now() + wanted]);
  });

  it('lasts as long as the job’s own limit where the runtime names no deadline', async () => {
    const world = aWorld();
    const job = defineJob({
      name: 'count',
      input: v.object({ n: v.number() }),
      run: async () => complete({ data: world.job('count', 'A1')['leaseUntil'] as number }),
    });
    await commands(world, job as never, 'A1');

    await jobHandler(job, world)(anEvent(commandOf(world, 'A1')), {} as never);

    const view = await createJobs(world).get(job, 'A1');
    expect(view).toMatchObject({ data: world.clock.now() + minutes(15) + seconds(1 + 7) });
  });
});
