import { describe, expect, it } from 'vitest';
import { done, fifoHandler } from '../../lib/index.ts';
import { batch, handClock, kept, left, QueueWorld, record, until } from './fifo-events.ts';

const parse = String;
const forever = () => new Promise<never>(() => {});

describe('code that ends too late', () => {
  it('changes nothing, however it ends', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const ends: Record<string, () => void> = {};
    const handler = fifoHandler(
      {
        parse,
        handle: ({ id }) =>
          new Promise((resolve, reject) => {
            ends[id] = () => (id === 'A1' ? resolve(done()) : reject(new Error('late')));
          }),
      },
      world,
    );

    const pending = handler(batch('A1', 'A2', 'B1'), left(10_000));
    await until(clock, 10_000);
    const response = await pending;
    const before = {
      response: structuredClone(response),
      log: world.log,
      hidden: world.visibility.lengths,
    };
    for (const end of Object.values(ends)) end();
    await until(clock, 20_000);

    expect(kept(response)).toEqual(['A1', 'A2', 'B1']);
    expect(Object.keys(ends)).toEqual(['A1', 'B1']);
    expect({ response, log: world.log, hidden: world.visibility.lengths }).toEqual(before);
  });

  it('case fifo 24: leaves its message free to run again', async () => {
    const clock = handClock();
    const world = new QueueWorld(clock);
    const attempts: number[] = [];
    const handler = fifoHandler(
      {
        parse,
        handle: ({ attempt }) => {
          attempts.push(attempt);
          return attempt === 1 ? forever() : Promise.resolve(done());
        },
      },
      world,
    );

    const first = handler(batch('A1'), left(10_000));
    await until(clock, 10_000);
    const second = handler({ Records: [record('A1', { receives: 2 })] }, left(10_000));

    expect([kept(await first), kept(await second)]).toEqual([['A1'], []]);
    expect(attempts).toEqual([1, 2]);
  });
});
