import { describe, expect, it } from 'vitest';
import { done, fifoHandler, minutes, seconds, type World } from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

interface Run {
  readonly id: string;
  readonly attempt: number;
}

/** A queue of one's own whose code takes so long, fails on what is named, and notes each run. */
function noting(runs: Run[], code: { readonly takes: number; readonly fails?: string }) {
  return (world: World) =>
    fifoHandler(
      {
        parse: (text) => String(JSON.parse(text)),
        async handle({ body, attempt }) {
          runs.push({ id: body, attempt });
          await world.clock.sleep(code.takes as never);
          if (body === code.fails) throw new Error('no');
          return done();
        },
      },
      world,
    );
}

describe('a queue of one’s own', () => {
  it('sends a message that always fails to the dead letters, and what was behind it pays no attempt (case fifo 13)', async () => {
    const runs: Run[] = [];
    const orders = noting(runs, { takes: 10, fails: 'A1' });
    await using laptop = await startLaptop({ queues: { 'orders.fifo': orders } });
    const queue = laptop.queue('orders.fifo');
    for (const id of ['A1', 'A2', 'B1']) await queue.send(id, { group: id.slice(0, 1) });

    const settled = await laptop.settle();

    expect(settled).toEqual({ kind: 'quiet' });
    expect(queue.deadLetters()).toEqual([{ group: 'A', body: '"A1"', code: 'handler-threw' }]);
    expect(runs.filter(({ id }) => id === 'A1').map(({ attempt }) => attempt)).toEqual([
      1, 2, 3, 4,
    ]);
    expect(runs.filter(({ id }) => id !== 'A1').map(({ id }) => id)).toEqual(['B1', 'A2']);
    expect(runs.find(({ id }) => id === 'A2')?.attempt).toBe(1);
  });

  it('runs each of three slow messages of a group once, in order (case fifo 15)', async () => {
    const runs: Run[] = [];
    const orders = noting(runs, { takes: seconds(19) });
    await using laptop = await startLaptop({
      queues: { 'orders.fifo': orders },
      timeout: minutes(1),
    });
    const queue = laptop.queue('orders.fifo');
    for (const id of ['A1', 'A2', 'A3']) await queue.send(id, { group: 'A' });

    await laptop.settle();

    expect(runs.map(({ id }) => id)).toEqual(['A1', 'A2', 'A3']);
    expect(queue.waiting()).toEqual([]);
  });
});
