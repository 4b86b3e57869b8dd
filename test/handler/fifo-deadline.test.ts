import { describe, expect, it } from 'vitest';
import { done, fifoHandler, seconds, type Turn } from '../../lib/index.ts';
import {
  batch,
  endless,
  Hidden,
  handClock,
  idle,
  kept,
  left,
  ms,
  QueueWorld,
  record,
  standardQueue,
  until,
} from './fifo-events.ts';

const parse = String;
const forever = () => new Promise<never>(() => {});

/** A handler whose messages take so long on the world's clock; without a length for ever. */
function taking(world: QueueWorld, lengths: Record<string, number>, concurrency = 10) {
  const ran: string[] = [];
  const turns: Turn[] = [];
  const handler = fifoHandler(
    {
      parse,
      concurrency,
      margin: seconds(2),
      async handle({ id }, turn) {
        ran.push(id);
        turns.push(turn);
        const length = lengths[id];
        await (length === undefined ? forever() : world.clock.sleep(ms(length)));
        return done();
      },
    },
    world,
  );
  return { ran, turns, handler };
}

describe('a deadline', () => {
  it('case fifo 21: keeps the credit of what was done in time', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const { handler, ran } = taking(world, { A1: 6_000, A2: 6_000, B1: 6_000 }, 1);

    const response = handler(batch('A1', 'A2', 'B1'), left(10_000));
    await until(clock, 10_000);

    expect(kept(await response)).toEqual(['A2', 'B1']);
    expect(ran).toEqual(['A1', 'A2']);
    expect(world.log).toEqual(['message-done A1', 'message-out-of-time B1', 'message-failed A2']);
  });

  it('fires the signal a margin before, with a failure that says so', async () => {
    const clock = handClock();
    const { handler, turns } = taking(new QueueWorld(clock), {});

    const response = handler(batch('A1'), left(10_000));
    await until(clock, 7_999);
    const signal = turns[0]?.signal;
    expect(signal?.aborted).toBe(false);
    expect(turns[0]?.remaining()).toBe(1);
    await until(clock, 8_000);

    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ name: 'Failure', code: 'deadline' });
    expect(turns[0]?.remaining()).toBe(0);
    await until(clock, 10_000);
    await response;
  });

  it('shows a fired signal also to code that asks for it only afterwards', async () => {
    const clock = handClock();
    const { handler, turns } = taking(new QueueWorld(clock), {});

    const response = handler(batch('A1'), left(10_000));
    await until(clock, 8_500);

    expect(turns[0]?.signal.aborted).toBe(true);
    await until(clock, 10_000);
    await response;
  });

  it('leaves running code a grace, and credits what ends in it', async () => {
    const clock = handClock();
    const { handler } = taking(new QueueWorld(clock), { A1: 8_900, B1: 9_100 });

    const response = handler(batch('A1', 'B1'), left(10_000));
    await until(clock, 10_000);

    expect(kept(await response)).toEqual(['B1']);
  });

  it('counts code that overran as a failure, and holds back what is behind it', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const { handler } = taking(world, {});

    const response = handler(batch('A1', 'A2'), left(10_000));
    await until(clock, 9_000);

    expect(kept(await response)).toEqual(['A1', 'A2']);
    expect(world.told).toMatchObject([
      { kind: 'message-failed', messageId: 'A1', failure: { code: 'overran' } },
      { kind: 'message-held-back', messageId: 'A2', behind: 'A1' },
    ]);
  });

  it('brings back at once what was never started (trace H16), and what overran after a backoff (trace H32)', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const { handler } = taking(world, { A1: 8_500 }, 2);

    const response = handler(batch('A1', 'A2', 'A3', 'B1', 'B2', 'C1', 'C2'), left(10_000));
    await until(clock, 8_000);
    expect(world.visibility.lengths).toEqual({ C1: 0, C2: 0 });
    await until(clock, 8_500);
    expect(world.visibility.lengths).toEqual({ A2: 0, A3: 0, C1: 0, C2: 0 });
    await until(clock, 9_000);

    expect(kept(await response)).toEqual(['A2', 'A3', 'B1', 'B2', 'C1', 'C2']);
    const { B1 = 0, B2 } = world.visibility.lengths;
    expect(B1).toBeGreaterThanOrEqual(2_000);
    expect(B2).toBe(B1 + 3_000);
  });

  it('starts nothing when its alarm rings while the clock still shows less', async () => {
    const clock = handClock();
    const world = new QueueWorld({
      now: () => Math.min(clock.now(), 7_999) as ReturnType<typeof clock.now>,
      sleep: (length, signal) => clock.sleep(length, signal),
      alarm: (at, ring) => clock.alarm(at, ring),
    });
    const { handler, ran } = taking(world, { A1: 8_500 }, 1);

    const response = handler(batch('A1', 'A2', 'B1'), left(10_000));
    await until(clock, 10_000);

    expect(kept(await response)).toEqual(['A2', 'B1']);
    expect(ran).toEqual(['A1']);
  });

  it('is kept by a response that waits for no visibility that never answers', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock, { visibility: new Hidden(forever) });
    const { handler } = taking(world, {});

    const response = handler(batch('A1', 'A2'), left(10_000));
    await until(clock, 9_500);

    expect(kept(await response)).toEqual(['A1', 'A2']);
  });

  it('starts no code whose body took too long to read', async () => {
    const clock = handClock();
    let ran = false;
    const handler = fifoHandler(
      {
        async parse(text) {
          await clock.sleep(ms(9_500));
          return text;
        },
        async handle() {
          ran = true;
          return done();
        },
      },
      new QueueWorld(clock),
    );

    const response = handler(batch('A1'), left(10_000));
    await until(clock, 20_000);

    expect(kept(await response)).toEqual(['A1']);
    expect(ran).toBe(false);
  });

  it('leaves no alarm behind (case fencing 62)', async () => {
    const clock = handClock();
    const { handler } = taking(new QueueWorld(clock), { A1: 10 });

    const response = handler(batch('A1'), left(10_000));
    await until(clock, 10);
    await response;

    expect(clock.next()).toBeUndefined();
  });

  it('is none where the context names none', async () => {
    const clock = handClock();
    const { handler, turns } = taking(new QueueWorld(clock), { A1: 86_400_000 });

    const response = handler(batch('A1'), endless);
    await idle();
    expect(turns[0]?.remaining()).toBe(Number.POSITIVE_INFINITY);
    await until(clock, 86_400_000);

    expect(kept(await response)).toEqual([]);
  });

  it.each([{ remaining: 2_000 }, { remaining: 500 }, { remaining: 0 }])(
    'of $remaining ms leaves no time before a margin of 2 s, and is refused (case outbox 29)',
    async ({ remaining }) => {
      const { handler, ran } = taking(new QueueWorld(handClock()), {});

      await expect(handler(batch('A1'), left(remaining))).rejects.toMatchObject({
        code: 'margin-too-long',
        message: expect.stringMatching(/^margin \(2 s\) .* within (2 s|500 ms|0 ms): /),
      });
      expect(ran).toEqual([]);
    },
  );
});

describe('a standard queue out of time', () => {
  it('brings back each record that was never started', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const { handler, ran } = taking(world, {}, 1);
    const Records = ['A1', 'A2', 'A3'].map((name) => record(name, { queue: standardQueue }));

    const response = handler({ Records }, left(10_000));
    await until(clock, 10_000);

    expect(kept(await response)).toEqual(['A1', 'A2', 'A3']);
    expect(ran).toEqual(['A1']);
    expect(world.visibility.lengths).toMatchObject({ A2: 0, A3: 0 });
  });
});
