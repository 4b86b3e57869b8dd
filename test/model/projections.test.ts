import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventHandler, rebuildProjections } from '../../lib/index.ts';
import type { Envelope } from '../../lib/kernel/envelope.ts';
import type { MemoryStore } from '../../lib/local/memory-store.ts';
import type { Store } from '../../lib/ports/store.ts';
import { aJob, consumed, copyJob, published, states, stored, sums } from '../handler/consumed.ts';
import { slept, unreliable } from '../handler/count-job.ts';
import { type AWorld, aWorld } from '../handler/world.ts';

/** All orders of a list. */
function* orders<T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length === 0) yield [];
  for (const [i, head] of all.entries())
    for (const rest of orders(all.toSpliced(i, 1))) yield [head, ...rest];
}

/** Two lives of one job, whose versions are the same numbers: oldest state first. */
const lives = ['01A', '01B'].flatMap((incarnation) =>
  published(aJob('a', { events: 3, incarnation })),
);

const job = aJob('a');
const other = aJob('b');
const six = published(job);

const consumer = (world: AWorld) =>
  eventHandler(
    { consumer: 'c', table: 'own', of: copyJob, projections: [states(), sums()] },
    world,
  );
const stateOf = (store: MemoryStore, id: string) =>
  store.peek('own', { pk: id, sk: 'row' })?.['id'];
const sum = (store: MemoryStore) =>
  Number(store.peek('own', { pk: 'sum', sk: 'row' })?.['worth'] ?? 0);

/** A world like another, with another store. */
const over = (world: AWorld, store: Store): AWorld => Object.assign({}, world, { store }) as AWorld;

const isRising = (all: readonly number[]) => all.every((it, i) => it >= (all[i - 1] ?? it));

/** A store whose every call waits for its turn. */
const scheduled = (store: Store, s: fc.Scheduler): Store => ({
  knows: (table) => store.knows(table),
  read: (...all) => s.schedule(Promise.resolve('read')).then(() => store.read(...all)),
  commit: (...all) => s.schedule(Promise.resolve('commit')).then(() => store.commit(...all)),
  query: (...all) => store.query(...all),
  scan: (...all) => store.scan(...all),
});

describe('a snapshot, fed with every order of six events of two lives', () => {
  it('shows the newest that it has seen after every step, repeats included (promise P13, trace H24)', async () => {
    for (const order of orders(lives)) {
      const world = aWorld();
      const handler = eventHandler(
        { consumer: 'c', table: 'own', of: copyJob, projections: [states()] },
        world,
      );
      let newest = -1;
      for (const [i, event] of order.entries())
        for (const fed of [event, order[i >> 1] ?? event]) {
          newest = Math.max(newest, lives.indexOf(fed));
          expect(await consumed(world, handler, [fed])).toEqual([true]);
          expect(stateOf(world.store, job.id)).toBe(lives[newest]?.id);
        }
    }
  }, 60_000);
});

describe('a delta that fills, fed with every order of six events', () => {
  it('holds each event up to the newest seen once after every step, beside another job (promises P9 and P13)', async () => {
    const others = published(other);
    for (const order of orders(six)) {
      const world = aWorld();
      await stored(world, job, other);
      const handler = consumer(world);
      let newest = 0;
      for (const [i, event] of order.entries()) {
        const twin = others[i] as Envelope;
        newest = Math.max(newest, event.sequence);
        await consumed(world, handler, [event, twin, order[i >> 1] ?? event]);
        expect(sum(world.store)).toBe(2 ** newest - 1 + (2 ** (i + 1) - 1));
      }
      expect(stateOf(world.store, job.id)).toBe(six[5]?.id);
    }
  }, 60_000);
});

describe('two handlers at once', () => {
  const parts = fc.tuple(
    fc.shuffledSubarray([...six, ...six], { minLength: 1 }),
    fc.shuffledSubarray([...six, ...six], { minLength: 1 }),
  );

  it('end in the right state, and never show an older one in between, whatever meets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), parts, async (s, [left, right]) => {
        const world = aWorld();
        await stored(world, job);
        const seen: [number, number][] = [];
        const look = (): void => {
          const state = six.findIndex(({ id }) => id === stateOf(world.store, job.id));
          seen.push([state, sum(world.store)]);
        };
        const store = scheduled(world.store, s);
        const looking: Store = {
          ...store,
          commit: (...all) => store.commit(...all).finally(look),
        };
        const all = [left, right].map((events) =>
          consumed(world, consumer(over(world, looking)), events),
        );
        await s.waitFor(Promise.all(all));

        const last = Math.max(...[...left, ...right].map(({ sequence }) => sequence));
        for (const part of [0, 1] as const)
          expect(isRising(seen.map((both) => both[part]))).toBe(true);
        expect(seen.at(-1)).toEqual([last - 1, 2 ** last - 1]);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('add nothing twice and lose nothing with requests and replies that get lost', async () => {
    const fate = fc.infiniteStream(
      fc.constantFrom('arrives', 'reply-lost', 'request-lost', 'arrives'),
    );
    await fc.assert(
      fc.asyncProperty(fate, parts, async (fates, [left, right]) => {
        const world = aWorld();
        await stored(world, job);
        const store = unreliable(world.store, () => fates.next().value ?? 'arrives');
        const until = async (events: readonly Envelope[]) => {
          const handler = consumer(over(world, store));
          for (const event of events) while (!(await consumed(world, handler, [event]))[0]);
        };

        await slept(world, Promise.all([until(left), until(right)]));

        const last = Math.max(...[...left, ...right].map(({ sequence }) => sequence));
        expect(sum(world.store)).toBe(2 ** last - 1);
        expect(stateOf(world.store, job.id)).toBe(six[last - 1]?.id);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});

describe('a rebuild beside live events', () => {
  it('doubles nothing and takes nothing back, whatever meets', async () => {
    const live = fc.shuffledSubarray([...six, ...published(other)]);
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), live, async (s, events) => {
        const world = aWorld();
        await stored(world, job, other);
        const store = scheduled(world.store, s);
        const rebuild = rebuildProjections([states(), sums()], over(world, store));
        const all = [rebuild, consumed(world, consumer(over(world, store)), events)];
        await s.waitFor(Promise.all(all));

        expect((await rebuild).left).toEqual([]);
        expect(sum(world.store)).toBe(63 + 63);
        for (const it of [job, other])
          expect(stateOf(world.store, it.id)).toBe(published(it)[5]?.id);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
