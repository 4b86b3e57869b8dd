import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  defineJob,
  deltaProjection,
  done,
  eventHandler,
  minutes,
  snapshotProjection,
  type World,
} from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';

const countJob = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  async run(job) {
    return complete({ data: { n: job.input.n } });
  },
});

const shelf = snapshotProjection({
  of: countJob,
  name: 'shelf',
  table: 'read',
  change(event) {
    const key = { pk: event.job.intentId, sk: 'row' };
    if (event.type !== 'count.succeeded') return { kind: 'remove', key };
    return { kind: 'put', key, fields: { n: event.data.n } };
  },
});
const totals = deltaProjection({
  of: countJob,
  name: 'totals',
  table: 'read',
  change: (event) =>
    event.type === 'count.succeeded'
      ? { kind: 'add', key: { pk: 'total', sk: 'row' }, add: { n: event.data.n, jobs: 1 } }
      : { kind: 'skip' },
  onGap: 'fill',
});
const reading = (world: World) =>
  eventHandler(
    { consumer: 'reading', table: 'read', of: countJob, projections: [shelf, totals] },
    world,
  );
const mailing = (world: World) =>
  eventHandler(
    {
      consumer: 'mailing',
      table: 'mail',
      of: countJob,
      handle: async (event) =>
        done({
          writes: [
            {
              table: 'mail',
              key: { pk: event.job.intentId, sk: 'mail' },
              when: [],
              kind: 'update',
              add: { sent: 1 },
            },
          ],
        }),
    },
    world,
  );

const started = (seed = 1) =>
  startLaptop({
    jobs: [countJob],
    consumers: { reading, mailing },
    tables: ['read', 'mail'],
    seed,
  });
const names = Array.from({ length: 8 }, (_, i) => `job-${i}`);

describe('consumers on a laptop', () => {
  it('follow their jobs', async () => {
    await using laptop = await started();
    for (const [n, intentId] of names.entries())
      await laptop.jobs.submit(countJob, { intentId, input: { n } });
    expect((await laptop.settle()).kind).toBe('quiet');

    expect(laptop.row('read', { pk: 'total', sk: 'row' })).toMatchObject({ n: 28, jobs: 8 });
    expect(laptop.row('read', { pk: 'job-3', sk: 'row' })).toMatchObject({ n: 3 });
    expect(laptop.row('mail', { pk: 'job-3', sk: 'mail' })).toMatchObject({ sent: 1 });
  });

  it.each([1, 2, 3, 4, 5])(
    'count each event once with crashes, lost replies and repeats (seed %i)',
    async (seed) => {
      await using laptop = await started(seed);
      strike(laptop, seed);
      for (const [n, intentId] of names.entries())
        await laptop.jobs.submit(countJob, { intentId, input: { n }, groupId: `g${n % 2}` });
      await laptop.clock.forward(minutes(1));
      expect((await laptop.settle()).kind).toBe('quiet');

      expect(laptop.row('read', { pk: 'total', sk: 'row' })).toMatchObject({ n: 28, jobs: 8 });
      for (const [n, intentId] of names.entries()) {
        expect(laptop.row('read', { pk: intentId, sk: 'row' })).toMatchObject({ n });
        expect(laptop.row('mail', { pk: intentId, sk: 'mail' })).toMatchObject({ sent: 1 });
      }
      const struck = new Set(laptop.strikes().map(({ what }) => what));
      for (const what of ['crash', 'delivered-twice', 'lost-reply']) expect(struck).toContain(what);
    },
  );
});

/** Crashes at steps of both consumers, replies that get lost, and messages that come twice. */
function strike({ faults }: Awaited<ReturnType<typeof started>>, seed: number): void {
  for (const of of ['reading', 'mailing']) {
    for (let i = 0; i < 3; i++) faults.deliverTwice(`${of}.fifo`);
    for (let step = seed; step <= 12; step += seed) faults.crash({ step, of, worker: 1 });
  }
  for (let i = 0; i < 6; i++) faults.loseReply('commit');
}
