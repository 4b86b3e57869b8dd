import { describe, expect, it } from 'vitest';
import { done, fifoHandler, minutes, permanent, type World } from '../../lib/index.ts';
import { type Laptop, startLaptop } from '../../lib/local/index.ts';

/** A queue that parks; the first message fails as often as told, and each adds itself to its group's list. */
const parking = (fails: { left: number }) => (world: World) =>
  fifoHandler(
    {
      parse: (text) => String(JSON.parse(text)),
      poison: 'park',
      async handle({ body, group }) {
        await world.clock.sleep(1 as never);
        if (body === 'A0' && fails.left-- > 0) throw permanent('bad', 'bad');
        const key = { pk: group, sk: 'list' };
        return done({
          writes: [{ table: 'own', key, when: [], kind: 'update', append: { all: [body] } }],
        });
      },
    },
    world,
  );

type Orders = Laptop<'orders.fifo'>;

const state = (laptop: Orders) =>
  laptop.row('care', { pk: 'group#orders.fifo#A', sk: 'state' })?.['state'];

/** Releases until the group is open: a ghost may have parked it once more. */
async function opened(laptop: Orders): Promise<void> {
  for (let times = 0; times < 4 && state(laptop) === 'parked'; times++) {
    await laptop.queue('orders.fifo').release('A');
    await laptop.settle();
  }
}

async function parkedRows(laptop: Orders): Promise<number> {
  let count = 0;
  const pk = 'group#orders.fifo#A';
  for await (const row of laptop.world.store.query('care', { pk, from: 'parked#' }))
    if (row['messageId'] !== undefined) count += 1;
  return count;
}

const all = ['A0', 'A1', 'A2', 'A3', 'A4', 'A5'];

/** One history: a worker stands still at a step while others go on, and wakes as late as told. */
async function history(step: number, by: { readonly fails: number; readonly thawAfter: number }) {
  const fails = { left: by.fails };
  await using laptop = await startLaptop({
    queues: { 'orders.fifo': parking(fails) },
    tables: ['own'],
    batchSize: 3,
  });
  const queue = laptop.queue('orders.fifo');
  const frozen = [1, 2].map((worker) => laptop.faults.freeze({ step, of: 'orders', worker }));
  for (const body of all.slice(0, 3)) await queue.send(body, { group: 'A' });
  await laptop.clock.forward(minutes(7));
  await queue.release('A');
  await queue.send('A3', { group: 'A' });
  await laptop.clock.forward(minutes(by.thawAfter));
  for (const { thaw } of frozen) thaw();
  await queue.send('A4', { group: 'A' });
  await laptop.clock.forward(minutes(14));
  await opened(laptop);
  await queue.send('A5', { group: 'A' });
  const settled = await laptop.settle();
  await opened(laptop);
  return {
    settled,
    struck: laptop.strikes().some(({ what }) => what === 'freeze'),
    effects: laptop.row('own', { pk: 'A', sk: 'list' })?.['all'],
    isParked: state(laptop) === 'parked',
    rows: await parkedRows(laptop),
  };
}

describe('a worker that stands still at each of its steps in turn, while its group is parked and released', () => {
  it.each([
    { fails: 1, thawAfter: 1 },
    { fails: 1, thawAfter: 8 },
    { fails: 2, thawAfter: 1 },
    { fails: 2, thawAfter: 8 },
    { fails: 3, thawAfter: 8 },
  ])(
    'strands nothing under an open group (trace H2), and each message has one effect, in order ($fails failures, thawed after $thawAfter min)',
    async (by) => {
      let steps = 0;
      for (let step = 1; step < 80; step++) {
        const end = await history(step, by);
        if (!end.struck) break;
        steps = step;
        expect({ step, ...end }).toMatchObject({
          settled: { kind: 'quiet' },
          effects: all,
          isParked: false,
          rows: 0,
        });
      }
      expect(steps).toBeGreaterThan(20);
    },
    60_000,
  );
});
