import { describe, expect, it } from 'vitest';
import { projected } from '../../lib/handler/projected.ts';
import { definedProjection } from '../../lib/handler/projection.ts';
import { realClock } from '../../lib/handler/real-clock.ts';
import { deltaProjection, snapshotProjection } from '../../lib/index.ts';
import type { Envelope } from '../../lib/kernel/envelope.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { aJob, copyJob, published, stored } from '../handler/consumed.ts';
import type { StoreAtHand } from './store.contract.ts';

/** What the guards of projections do on a store; facts are those of the store's own contract. */
export function projectionContract(name: string, open: () => Promise<StoreAtHand>): void {
  let cases = 0;
  const begin = async () => {
    const { store, prefix } = await open();
    cases += 1;
    const pk = `${prefix}-${cases}`;
    const key = { pk, sk: 'row' };
    const world = { store, clock: realClock, random: new SeededRandom(cases, realClock) };
    const kinds: string[] = [];
    const by = { world, tellGap: (kind: string) => void kinds.push(kind) };
    const shelf = snapshotProjection({
      of: copyJob,
      name: pk,
      table: 'own',
      change: ({ id, sequence }) =>
        sequence === 5 ? { kind: 'remove', key } : { kind: 'put', key, fields: { id } },
    });
    const sum = deltaProjection({
      of: copyJob,
      name: pk,
      table: 'own',
      change: (event) =>
        event.type === 'copy.succeeded'
          ? { kind: 'add', key, add: { worth: event.data.worth } }
          : { kind: 'skip' },
      onGap: 'fill',
    });
    const feed = async (what: typeof shelf, ...events: readonly Envelope[]) => {
      const ends: string[] = [];
      for (const event of events)
        ends.push((await projected(by, definedProjection(what), event)).kind);
      return ends;
    };
    return { world, pk, kinds, shelf, sum, feed, row: () => store.read('own', key) };
  };

  describe(`the projection contract, kept by ${name}`, () => {
    it('shows the newest state of a job, tells repeated from stale, and begins anew with its next life', async () => {
      const { pk, shelf, feed, row } = await begin();
      const [one, two] = published(aJob(pk)) as [Envelope, Envelope];
      const [reborn] = published(aJob(pk, { incarnation: '01B' })) as [Envelope];

      expect(await feed(shelf, two, two, one)).toEqual(['applied', 'repeated', 'stale']);
      expect(await row()).toMatchObject({ id: two.id });
      expect(await feed(shelf, reborn, two)).toEqual(['applied', 'stale']);
      expect(await row()).toMatchObject({ id: reborn.id });
    });

    it('keeps a tombstone against what is older, and lets what is newer in', async () => {
      const { pk, shelf, feed, row } = await begin();
      const all = published(aJob(pk));
      const [one, five, six] = [0, 4, 5].map((i) => all[i]) as [Envelope, Envelope, Envelope];

      expect(await feed(shelf, five, one)).toEqual(['applied', 'stale']);
      expect(await row()).toMatchObject({ _removed: true });
      expect(await feed(shelf, six)).toEqual(['applied']);
      expect(await row()).not.toHaveProperty('_removed');
    });

    it('refuses another job at a key that is taken', async () => {
      const { pk, shelf, feed } = await begin();
      const [one] = published(aJob(pk)) as [Envelope];
      const [other] = published(aJob(`${pk}-other`)) as [Envelope];
      await feed(shelf, one);

      await expect(feed(shelf, other)).rejects.toMatchObject({ code: 'projection-key-shared' });
    });

    it('adds each event once, in order, and fills what is missing from the row', async () => {
      const { world, pk, kinds, sum, feed, row } = await begin();
      const job = aJob(pk);
      await stored(world, job);
      const all = published(job);
      const [one, two, four] = [0, 1, 3].map((i) => all[i]) as [Envelope, Envelope, Envelope];

      expect(await feed(sum, one, one, four, two)).toEqual([
        'applied',
        'repeated',
        'applied',
        'repeated',
      ]);
      expect(await row()).toMatchObject({ worth: 15 });
      expect(kinds).toEqual(['gap-seen', 'gap-filled']);
    });

    it('adds once where several handlers are given the same events at once', async () => {
      const { world, pk, sum, feed, row } = await begin();
      const job = aJob(pk);
      await stored(world, job);
      const all = published(job);

      await Promise.all([feed(sum, ...all), feed(sum, ...all.toReversed()), feed(sum, ...all)]);

      expect(await row()).toMatchObject({ worth: 63 });
    });
  });
}
