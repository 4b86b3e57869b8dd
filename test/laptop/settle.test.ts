import { setTimeout as realSleep } from 'node:timers/promises';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  defineJob,
  done,
  fifoHandler,
  hours,
  minutes,
  retryLater,
  seconds,
  type World,
} from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';
import { inputOf, walkJob } from './walk-job.ts';

const loopJob = defineJob({
  name: 'loop',
  input: v.object({}),
  run: async () => retryLater({ after: minutes(10) }),
});

const slowJob = defineJob({
  name: 'slow',
  input: v.object({ real: v.number() }),
  async run(job) {
    await realSleep(job.input.real);
    return complete({ data: {} });
  },
});

/** A queue whose messages all fail. */
const failing = (world: World) =>
  fifoHandler(
    {
      parse: (text) => text,
      async handle() {
        throw new Error('no');
      },
    },
    world,
  );

/** A queue whose messages are all done at once. */
const passing = (world: World) =>
  fifoHandler({ parse: (text) => text, handle: async () => done() }, world);

describe('settling', () => {
  it('is quiet at once where nothing is to be done, and moves no time', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    const since = laptop.clock.now();

    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(laptop.clock.now()).toBe(since);
  });

  it('runs all to its end: jobs, events, and the sweep of what was left behind', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    for (const way of ['complete', 'fail', 'retry-later'] as const)
      await laptop.jobs.submit(walkJob, { intentId: way, input: inputOf(way) });

    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(laptop.events(walkJob)).toHaveLength(3);
    expect(laptop.happenings('orphans-collected')).not.toEqual([]);
  });

  it('is stuck on a job that never ends, and says where it stands', async () => {
    await using laptop = await startLaptop({ jobs: [loopJob] });
    const since = laptop.clock.now();
    await laptop.jobs.submit(loopJob, { intentId: 'a', input: {} });

    const settled = await laptop.settle({ within: minutes(55) });

    const view = await laptop.jobs.get(loopJob, 'a');
    expect(settled).toEqual({
      kind: 'stuck',
      waiting: [
        expect.stringMatching(
          /^queue commands-loop\.fifo: a message of group loop-[0-9a-f]+, received \d+ times$/,
        ),
        `job ${view?.id}: queued, generation ${view?.generation}`,
      ],
    });
    expect(laptop.clock.now() - since).toBe(minutes(55));
  });

  it('is stuck on a message that comes back for longer than it may take', async () => {
    await using laptop = await startLaptop({ queues: { 'orders.fifo': failing } });
    await laptop.queue('orders.fifo').send('A1', { group: 'A' });

    expect(await laptop.settle({ within: seconds(1) })).toEqual({
      kind: 'stuck',
      waiting: ['queue orders.fifo: a message of group A, received 1 times'],
    });
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    expect(laptop.queue('orders.fifo').deadLetters()).toHaveLength(1);
  });

  it('is stuck on what the relay can not read', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    laptop.faults.outage('stream', hours(2));
    await laptop.jobs.submit(walkJob, { intentId: 'a', input: inputOf('complete') });

    expect(await laptop.settle({ within: minutes(20) })).toEqual({
      kind: 'stuck',
      waiting: [
        expect.stringMatching(/^job walk-[0-9a-f]+: queued, generation 0$/),
        'the relay: the stream has more to show',
      ],
    });
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
  });

  it('is stuck on a worker that stands still until it is thawed', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    const frozen = laptop.faults.freeze({ at: 'handle', when: 'before' });
    await laptop.jobs.submit(walkJob, { intentId: 'a', input: inputOf('complete') });

    expect(await laptop.settle({ within: seconds(30) })).toMatchObject({ kind: 'stuck' });
    frozen.thaw();

    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    expect(laptop.happenings('job-taken-over')).toEqual([]);
  });

  it('waits for a job whose code waits for a timer of the process', async () => {
    await using laptop = await startLaptop({ jobs: [slowJob] });
    await laptop.jobs.submit(slowJob, { intentId: 'a', input: { real: 400 } });

    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(laptop.happenings('job-taken-over')).toEqual([]);
    expect(await laptop.jobs.get(slowJob, 'a')).toMatchObject({
      status: 'succeeded',
      generation: 1,
    });
  });
});

describe('a queue of one’s own', () => {
  it('is found by its name', async () => {
    await using laptop = await startLaptop({ queues: { 'orders.fifo': passing, plain: passing } });
    await laptop.queue('orders.fifo').send('A1', { group: 'A' });
    await laptop.queue('plain').send('B1', { group: 'B' });

    expect(laptop.queue('orders.fifo').waiting()).toEqual([
      { group: 'A', body: '"A1"', receiveCount: 0 },
    ]);
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    expect(laptop.queue('plain').waiting()).toEqual([]);
  });

  it('that is not there is a failure, which names those that are', async () => {
    await using laptop = await startLaptop({ queues: { 'orders.fifo': passing, plain: passing } });

    expect(() => laptop.queue('order' as never)).toThrow(
      expect.objectContaining({
        code: 'queue-unknown',
        message: 'there is no queue "order", there are orders.fifo, plain',
      }),
    );
  });
});

/** What keeps this process waiting besides what the test runner does. */
const timers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** Waits until this process has no more than so many timers, or ten seconds have passed. */
async function timersAre(count: number): Promise<number> {
  const until = performance.now() + 10_000;
  while (timers() > count && performance.now() < until)
    await new Promise((resolve) => setImmediate(resolve));
  return timers();
}

describe('a laptop in real time', () => {
  it('settles by waiting, and leaves no timer behind when it is disposed of', async () => {
    const before = timers();
    const laptop = await startLaptop({ time: 'real', jobs: [walkJob] });
    await laptop.jobs.submit(walkJob, { intentId: 'a', input: inputOf('complete') });

    expect(await laptop.settle({ within: minutes(1) })).toEqual({ kind: 'quiet' });
    await laptop[Symbol.asyncDispose]();

    expect(await timersAre(before)).toBeLessThanOrEqual(before);
  });

  it('is stuck where something takes longer than it may', async () => {
    await using laptop = await startLaptop({ time: 'real', queues: { 'orders.fifo': failing } });
    await laptop.queue('orders.fifo').send('A1', { group: 'A' });

    const settled = await laptop.settle({ within: seconds(0.05) });

    expect(settled).toMatchObject({ kind: 'stuck' });
  });

  it('leaves no timer behind of what failed, is paused or is still at work', async () => {
    const before = timers();
    const laptop = await startLaptop({
      time: 'real',
      jobs: [loopJob],
      queues: {
        'broken.fifo': () => () => Promise.reject(new Error('broken')),
        'sleepy.fifo': (world: World) => async () => {
          await world.clock.sleep(minutes(1));
          return { batchItemFailures: [] };
        },
        'failing.fifo': failing,
      },
    });
    for (const name of ['broken.fifo', 'sleepy.fifo', 'failing.fifo'] as const)
      await laptop.queue(name).send('A1', { group: 'A' });
    await laptop.jobs.submit(loopJob, { intentId: 'a', input: {} });
    await laptop.settle({ within: seconds(0.5) });
    laptop.faults.outage('sqs', minutes(1));
    laptop.faults.outage('stream', minutes(1));

    await laptop[Symbol.asyncDispose]();

    expect(await timersAre(before)).toBeLessThanOrEqual(before);
  });
});
