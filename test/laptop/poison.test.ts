import { describe, expect, it } from 'vitest';
import {
  done,
  fifoHandler,
  minutes,
  type Poison,
  permanent,
  type RetrySettings,
  seconds,
  type World,
} from '../../lib/index.ts';
import { type Laptop, startLaptop } from '../../lib/local/index.ts';

interface Run {
  readonly body: string;
  readonly attempt: number;
  readonly receives: number;
  readonly at: number;
}

/** A queue whose handler throws what `thrown` gives for a body, and notes each run. */
const noting =
  (
    runs: Run[],
    by: {
      readonly poison?: Poison;
      readonly retry?: RetrySettings;
      readonly takes?: number;
      thrown(body: string): unknown;
    },
  ) =>
  (world: World) =>
    fifoHandler(
      {
        parse: (text) => String(JSON.parse(text)),
        ...(by.poison === undefined ? {} : { poison: by.poison }),
        ...(by.retry === undefined ? {} : { retry: by.retry }),
        async handle({ body, attempt, record }) {
          const receives = Number(record.attributes.ApproximateReceiveCount);
          runs.push({ body, attempt, receives, at: world.clock.now() });
          await world.clock.sleep((by.takes ?? 10) as never);
          const thrown = by.thrown(body);
          if (thrown !== undefined) throw thrown;
          return done();
        },
      },
      world,
    );

const failing = (...bodies: readonly string[]) => ({
  thrown: (body: string) => (bodies.includes(body) ? new Error('no') : undefined),
});

async function sent(laptop: Laptop<'orders.fifo'>, ...bodies: readonly string[]) {
  for (const body of bodies)
    await laptop.queue('orders.fifo').send(body, { group: body.slice(0, 1) });
}

const waiting = Array.from({ length: 9 }, (_, i) => `A${i + 2}`);

describe.each([4, 10])('a poison head that may fail %s times', (maxAttempts) => {
  it.each<Poison>(['dead-letter', 'park', 'block'])(
    'costs the nine good messages behind it at most half the receives and no attempt, and ends by "%s"',
    async (poison) => {
      const runs: Run[] = [];
      const by = { poison, retry: { maxAttempts, cap: minutes(2) }, ...failing('A1') };
      await using laptop = await startLaptop({ queues: { 'orders.fifo': noting(runs, by) } });
      const queue = laptop.queue('orders.fifo');
      await sent(laptop, 'A1', ...waiting);

      await laptop.clock.forward(minutes(maxAttempts * 2));

      const tries = runs.filter(({ body }) => body === 'A1');
      const behind = runs.filter(({ body }) => body !== 'A1');
      if (poison === 'dead-letter') {
        expect(tries.map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: maxAttempts }, (_, i) => i + 1),
        );
        expect(queue.deadLetters()).toEqual([{ group: 'A', body: '"A1"', code: 'handler-threw' }]);
        expect(behind.map(({ body }) => body)).toEqual(waiting);
        expect(behind.map(({ attempt }) => attempt)).toEqual(waiting.map(() => 1));
        // Their last receive is their own.
        const paid = behind.map(({ receives }) => receives - 1);
        expect(Math.max(...paid)).toBeLessThanOrEqual(maxAttempts / 2);
        expect(queue.waiting()).toEqual([]);
      }
      if (poison === 'park') {
        expect(tries).toHaveLength(maxAttempts);
        expect(behind).toEqual([]);
        expect(queue.waiting()).toEqual([]);
        expect(queue.deadLetters()).toEqual([]);
        expect(laptop.row('care', { pk: 'group#orders.fifo#A', sk: 'state' })).toMatchObject({
          state: 'parked',
          parked: 10,
          code: 'handler-threw',
        });
      }
      if (poison === 'block') {
        expect(tries.length).toBeGreaterThanOrEqual(maxAttempts);
        expect(behind).toEqual([]);
        const [head, ...rest] = queue.waiting();
        expect(head?.body).toBe('"A1"');
        expect(rest).toHaveLength(9);
        const most = Math.ceil((head?.receiveCount ?? 0) / 2);
        for (const { receiveCount } of rest) expect(receiveCount).toBeLessThanOrEqual(most);
      }
    },
  );
});

describe('one poison group among a thousand good ones', () => {
  it('costs the good ones no time (case outbox 38)', async () => {
    const ended = async (...poison: readonly string[]) => {
      const runs: Run[] = [];
      const handler = noting(runs, {
        takes: seconds(1),
        thrown: (body) => (poison.includes(body) ? permanent('bad', 'bad') : undefined),
      });
      await using laptop = await startLaptop({ queues: { 'orders.fifo': handler } });
      const queue = laptop.queue('orders.fifo');
      for (let group = 0; group < 1_000; group++)
        await queue.send(`good-${group}`, { group: `g${group}` });
      for (const body of poison) await queue.send(body, { group: 'bad' });
      const begun = laptop.clock.now();
      expect(await laptop.settle()).toEqual({ kind: 'quiet' });
      const good = runs.filter(({ body }) => body.startsWith('good'));
      expect(good).toHaveLength(1_000);
      return Math.max(...good.map(({ at }) => at)) - begun;
    };

    const alone = await ended();
    const beside = await ended('poison-1', 'poison-2', 'poison-3');

    expect(beside / alone).toBeLessThanOrEqual(1.05);
  }, 60_000);
});
