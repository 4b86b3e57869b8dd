import { describe, expect, it } from 'vitest';
import {
  days,
  done,
  fifoHandler,
  hours,
  type MessageAnswer,
  minutes,
  permanent,
  type RetrySettings,
  retryLater,
  seconds,
  transient,
} from '../../lib/index.ts';
import { countedFailure, failuresKey } from '../../lib/retry/failure-count.ts';
import {
  batch,
  endless,
  fifoQueue,
  Hidden,
  handClock,
  kept,
  longest,
  QueueWorld,
  record,
  standardQueue,
} from './fifo-events.ts';

/** Handles a batch whose messages end as told, all others by done(); what no retry can help is left to the queue. */
async function handled(
  ends: Record<string, () => MessageAnswer>,
  event: Parameters<ReturnType<typeof fifoHandler>>[0],
  given: { world?: QueueWorld; retry?: RetrySettings } = {},
) {
  const { world = new QueueWorld(handClock()), retry = {} } = given;
  const handler = fifoHandler(
    { parse: String, poison: 'block', retry, handle: async ({ id }) => (ends[id] ?? done)() },
    world,
  );
  return { world, kept: kept(await handler(event, endless)) };
}

const throws = (thrown: unknown) => () => {
  throw thrown;
};
const received = (receives: number, sentAt = 0) => ({
  Records: [record('A1', { receives, sentAt })],
});

/** A message that has failed so often before: what counts is what was counted, not its receives. */
async function failedBefore(world: QueueWorld, count: number) {
  const key = failuresKey('orders.fifo', 'A1');
  const told = { failure: transient('no', 'no'), at: world.clock.now() };
  for (let seen = 0; seen < count; seen++)
    await world.store.commit([countedFailure(key, seen, told)]);
  return received(count + 3);
}

describe('a failed message', () => {
  it('cases fifo 10 and 13: comes back after a backoff, alone, before what is behind it', async () => {
    const { world, kept } = await handled({ A1: throws(new Error('no')) }, batch('A1', 'A2', 'B1'));

    expect(kept).toEqual(['A1', 'A2']);
    const { A1 = 0, A2, ...others } = world.visibility.lengths;
    expect(A1).toBeGreaterThanOrEqual(2_000);
    expect(A1).toBeLessThanOrEqual(10_000);
    expect(A2).toBe(A1 + 3_000);
    expect(others).toEqual({});
  });

  it('case fifo 11: is hidden once with its group, in one request', async () => {
    const { world } = await handled({ A1: throws(new Error('no')) }, batch('A1', 'A2', 'A3'));

    expect(world.visibility.calls).toMatchObject([
      {
        queue: fifoQueue,
        entries: [{ handle: 'handle-A1' }, { handle: 'handle-A2' }, { handle: 'handle-A3' }],
      },
    ]);
  });

  it.each([
    { count: 0, most: 10_000 },
    { count: 1, most: 20_000 },
    { count: 2, most: 40_000 },
  ])('case fifo 28: backs off by its $count counted failures before', async ({ count, most }) => {
    const world = new QueueWorld(handClock(), { random: longest });
    const event = await failedBefore(world, count);

    await handled({ A1: throws(new Error('no')) }, event, { world });

    expect(world.visibility.lengths).toEqual({ A1: most });
  });

  it.each([
    [
      'waits as long as the thrower asks',
      {
        thrown: transient('slow-carrier', 'wait', { after: minutes(1) }),
        before: 0,
        wait: 60_000,
      },
    ],
    [
      'case fifo 26: waits as long as the cap where no retry can help',
      { thrown: permanent('negative-total', 'no'), before: 0, wait: 900_000 },
    ],
    [
      'waits as long as the cap once its attempts are spent',
      {
        thrown: transient('slow-carrier', 'wait', { after: minutes(1) }),
        before: 3,
        wait: 900_000,
      },
    ],
    [
      'waits no longer than SQS hides',
      {
        thrown: transient('tomorrow', 'wait', { after: days(1) }),
        before: 0,
        wait: 11.75 * 3_600_000,
      },
    ],
  ])('%s', async (_, { thrown, before, wait }) => {
    const world = new QueueWorld(handClock());
    const event = await failedBefore(world, before);

    await handled({ A1: throws(thrown) }, event, { world });

    expect(world.visibility.lengths).toEqual({ A1: wait });
    expect(world.told).toMatchObject([{ failure: thrown }]);
  });

  it.each([
    ['in the first hour of an outage up to a minute', { lasted: minutes(30), most: 60_000 }],
    ['after it up to five minutes', { lasted: hours(2), most: 300_000 }],
  ])('waits %s, however often it was received', async (_, { lasted, most }) => {
    const world = new QueueWorld(handClock(lasted), { random: longest });
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });

    await handled({ A1: throws(throttled) }, received(500), { world });

    expect(world.visibility.lengths).toEqual({ A1: most });
    expect(world.told).toMatchObject([{ failure: { code: 'outage' } }]);
  });

  it('is read by the settings of its queue', async () => {
    const retry: RetrySettings = {
      maxAttempts: 2,
      base: seconds(1),
      cap: seconds(30),
      classify: (thrown) => (thrown instanceof TypeError ? permanent('bug', 'a bug') : undefined),
    };

    const bug = await handled({ A1: throws(new TypeError('x')) }, received(1), { retry });
    const world = new QueueWorld(handClock());
    const spent = await handled({ A1: throws(new Error('x')) }, await failedBefore(world, 1), {
      retry,
      world,
    });

    expect(bug.world.visibility.lengths).toEqual({ A1: 30_000 });
    expect(bug.world.told).toMatchObject([{ failure: { code: 'bug' } }]);
    expect(spent.world.visibility.lengths).toEqual({ A1: 30_000 });
  });

  it('fails alone where its classifier throws, and waits as if there were none', async () => {
    const retry: RetrySettings = { classify: throws(new Error('classifier')) };

    const { kept, world } = await handled({ A1: throws(new Error('x')) }, batch('A1', 'B1'), {
      retry,
    });

    expect(kept).toEqual(['A1']);
    expect(world.visibility.calls).toMatchObject([{ entries: [{ handle: 'handle-A1' }] }]);
  });

  it.each([
    ['a lost handle', { answer: async () => 'lost' as const }],
    ['an outage', { answer: async () => 'outage' as const }],
    ['a request that fails', { answer: () => Promise.reject(new Error('network')) }],
  ])('is only reported where its hiding meets %s (trace H27)', async (_, { answer }) => {
    const world = new QueueWorld(handClock(), { visibility: new Hidden(answer) });

    const { kept } = await handled({ A1: throws(new Error('no')) }, batch('A1', 'A2', 'B1'), {
      world,
    });

    expect(kept).toEqual(['A1', 'A2']);
    expect(world.log.toSorted()).toEqual([
      'message-done B1',
      'message-failed A1',
      'message-held-back A2',
    ]);
  });

  it('is hidden before the response is given', async () => {
    let hidden = false;
    const visibility = new Hidden(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      hidden = true;
      return 'hidden';
    });
    const world = new QueueWorld(handClock(), { visibility });

    await handled({ A1: throws(new Error('no')) }, batch('A1'), { world });

    expect(hidden).toBe(true);
  });

  it('is hidden with at most ten in one request', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `A${i + 1}`);

    const { world } = await handled({ A1: throws(new Error('no')) }, batch(...names));

    expect(world.visibility.calls.map(({ entries }) => entries.length)).toEqual([10, 2]);
  });

  it('of a standard queue takes nothing with it', async () => {
    const Records = ['A1', 'A2'].map((name) => record(name, { queue: standardQueue }));

    const { world, kept } = await handled({ A1: throws(new Error('no')) }, { Records });

    expect(kept).toEqual(['A1']);
    expect(Object.keys(world.visibility.lengths)).toEqual(['A1']);
  });
});

describe('a message that asks for later', () => {
  it('case fifo 39: holds its group, in order, and no other', async () => {
    const later = () => retryLater({ after: minutes(1), because: 'closed' });

    const { world, kept } = await handled({ A1: later }, batch('A1', 'A2', 'B1'));

    expect(kept).toEqual(['A1', 'A2']);
    expect(world.visibility.lengths).toEqual({ A1: 60_000, A2: 63_000 });
    expect(world.told).toMatchObject([
      { kind: 'message-held-back', messageId: 'A1', behind: undefined },
      { kind: 'message-done', messageId: 'B1' },
      { kind: 'message-held-back', messageId: 'A2', behind: 'A1' },
    ]);
  });

  it('is refused above the 12 hours of SQS, at the call (trace H33)', async () => {
    expect(() => retryLater({ after: hours(12.01) })).toThrowError(
      expect.objectContaining({
        code: 'retry-too-late',
        message: expect.stringContaining('43236 s'),
      }),
    );
    expect(retryLater({ after: hours(12) })).toMatchObject({ kind: 'retry-later' });
  });
});
