import { describe, expect, it } from 'vitest';
import { queueHandler } from '../../lib/handler/queue-handler.ts';
import { ran } from '../../lib/handler/ran.ts';
import type { OpenTurn } from '../../lib/handler/turn.ts';
import { transient } from '../../lib/kernel/failure.ts';
import type { Outcome } from '../../lib/kernel/outcome.ts';
import { milliseconds } from '../../lib/kernel/time.ts';
import { batch, endless, handClock, idle, kept, left, QueueWorld, until } from './fifo-events.ts';

const done: Outcome = { kind: 'done' };

describe('a queue’s door', () => {
  it('fails what has no verdict when the last net falls, and holds what is behind it back', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const handler = queueHandler(
      {},
      world,
      () =>
        ({ id }) =>
          id === 'A1' ? new Promise(() => {}) : Promise.resolve(done),
    );

    const response = handler(batch('A1', 'A2', 'B1'), left(10_000));
    await until(clock, 9_499);
    expect(world.log).toEqual(['message-done B1']);
    await until(clock, 9_500);

    expect(kept(await response)).toEqual(['A1', 'A2']);
    expect(world.told.slice(1)).toMatchObject([
      { kind: 'message-failed', messageId: 'A1', failure: { code: 'overran' } },
      { kind: 'message-out-of-time', messageId: 'A2', behind: 'A1' },
    ]);
    expect(world.visibility.calls).toEqual([]);
  });

  it.each<[string, Outcome]>([
    ['is done', done],
    ['fails', { kind: 'failed', failure: transient('late', 'late'), wait: milliseconds(5_000) }],
  ])(
    'tells, hides and starts nothing when a message %s behind the last net',
    async (_, outcome) => {
      const clock = handClock();
      const world = new QueueWorld(clock);
      const started: string[] = [];
      const handler = queueHandler({}, world, () => async ({ id }) => {
        started.push(id);
        await clock.sleep(milliseconds(12_000));
        return outcome;
      });

      const pending = handler(batch('A1', 'A2'), left(10_000));
      await until(clock, 10_000);
      const response = await pending;
      const told = world.log;
      await until(clock, 60_000);

      expect(kept(response)).toEqual(['A1', 'A2']);
      expect(started).toEqual(['A1']);
      expect(world.log).toEqual(told);
      expect(world.visibility.calls).toEqual([]);
    },
  );

  it('leaves time for last writes between the end of user code and the last net', async () => {
    const clock = handClock();
    const seen: unknown[] = [];
    const handler = queueHandler({}, new QueueWorld(clock), () => async (_, turn) => {
      const code = await ran(turn, () => new Promise(() => {}));
      seen.push(code.kind, turn.isOpen(), clock.now());
      await clock.sleep(milliseconds(400));
      return done;
    });

    const response = handler(batch('A1'), left(10_000));
    await until(clock, 10_000);

    expect(kept(await response)).toEqual([]);
    expect(seen).toEqual(['overran', false, 9_000]);
  });

  it('closes the turn of a message with its verdict', async () => {
    let kept: OpenTurn | undefined;
    const handler = queueHandler({}, new QueueWorld(), () => async (_, turn) => {
      kept = turn;
      return turn.isOpen() ? done : { kind: 'failed', failure: transient('closed', 'closed') };
    });

    const response = await handler(batch('A1'), endless);

    expect(response.batchItemFailures).toEqual([]);
    expect(kept?.isOpen()).toBe(false);
  });

  it('fails a message whose decision throws, and goes on with the others', async () => {
    const world = new QueueWorld();
    const handler = queueHandler({}, world, () => async ({ id }) => {
      if (id === 'A1') throw new Error('a bug of ours');
      return done;
    });

    expect(kept(await handler(batch('A1', 'B1'), endless))).toEqual(['A1']);
    expect(world.told).toContainEqual(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'handler-threw' }) }),
    );
  });

  it('hides nothing without a visibility', async () => {
    const { clock, observe } = new QueueWorld();
    const handler = queueHandler({}, { clock, observe }, () => async () => ({
      kind: 'failed',
      failure: transient('no', 'no'),
      wait: milliseconds(5_000),
    }));

    expect(kept(await handler(batch('A1', 'A2'), endless))).toEqual(['A1', 'A2']);
  });
});

describe('user code in its turn', () => {
  const turn = (over: Promise<void>) => ({ over }) as OpenTurn;
  const never = new Promise<void>(() => {});

  it('answers', async () => {
    expect(await ran(turn(never), async () => 7)).toEqual({ kind: 'answered', answer: 7 });
  });

  it.each([
    ['a rejection', () => Promise.reject(undefined), undefined],
    [
      'a throw before the first await',
      () => {
        throw new RangeError('at once');
      },
      new RangeError('at once'),
    ],
  ])('tells %s, and never throws', async (_, work, thrown) => {
    expect(await ran(turn(never), work)).toEqual({ kind: 'threw', thrown });
  });

  it('is waited for no longer than its turn, and may fail unheard afterwards', async () => {
    let fail = (_: Error): void => {};
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', hear);

    const code = await ran(
      turn(Promise.resolve()),
      () => new Promise((_, reject) => (fail = reject)),
    );
    fail(new Error('late'));
    await idle();
    process.off('unhandledRejection', hear);

    expect(code).toEqual({ kind: 'overran' });
    expect(unheard).toEqual([]);
  });
});
