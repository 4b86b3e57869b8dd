import { describe, expect, it } from 'vitest';
import {
  eventHandler,
  type RebuildPlace,
  rebuildProjections,
  seconds,
  snapshotProjection,
} from '../../lib/index.ts';
import { aJob, consumed, copyJob, published, states, stored, sums } from './consumed.ts';
import { type AWorld, aWorld } from './world.ts';

const sum = (world: AWorld) => world.store.peek('own', { pk: 'sum', sk: 'row' })?.['worth'];
const state = (world: AWorld, id: string) => world.store.peek('own', { pk: id, sk: 'row' });

describe('a rebuild', () => {
  it('gives projections what live events would have given them', async () => {
    const world = aWorld();
    const jobs = [aJob('a'), aJob('b', { events: 2 }), aJob('c', { events: 0 })];
    await stored(world, ...jobs);

    const { jobs: count, left, next } = await rebuildProjections([states(), sums('block')], world);

    expect({ count, left, next }).toEqual({ count: 3, left: [], next: undefined });
    expect(sum(world)).toBe(63 + 3);
    expect(state(world, jobs[0]?.id ?? '')).toMatchObject({ id: published(aJob('a'))[5]?.id });
    expect(state(world, jobs[2]?.id ?? '')).toBeUndefined();
  });

  it('goes on from the cursor, and done again changes nothing', async () => {
    const world = aWorld();
    await stored(world, aJob('a'));
    const live = eventHandler(
      { consumer: 'c', table: 'own', of: copyJob, projections: [sums('block')] },
      world,
    );
    await consumed(world, live, published(aJob('a')).slice(0, 2));

    for (let i = 0; i < 2; i++) await rebuildProjections([states(), sums('block')], world);

    expect(sum(world)).toBe(63);
    expect(world.kinds().filter((kind) => kind.startsWith('gap'))).toEqual([]);
  });

  it('looks behind what a snapshot skips', async () => {
    const world = aWorld();
    const job = aJob('a');
    await stored(world, job);
    const key = { pk: 'shelf', sk: 'row' };
    const shelf = snapshotProjection({
      of: copyJob,
      name: 'shelf',
      table: 'own',
      change: ({ id, sequence }) =>
        sequence > 4 ? { kind: 'skip' } : { kind: 'put', key, fields: { id } },
    });

    await rebuildProjections([shelf], world);

    expect(world.store.peek('own', key)).toMatchObject({ id: published(job)[3]?.id });
  });

  it('stops in time, and goes on behind the job at which it stopped', async () => {
    const world = aWorld();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await stored(world, ...names.map((name) => aJob(name, { events: 1 })));
    const places: (RebuildPlace | undefined)[] = [];
    let from: RebuildPlace | undefined = { segment: 0, of: 1 };
    while (from !== undefined) {
      const rebuilt = await rebuildProjections([sums()], world, { from, within: seconds(0) });
      places.push(rebuilt.next);
      from = rebuilt.next;
    }

    expect(places.map((place) => place?.after !== undefined)).toEqual([
      ...names.map(() => true),
      false,
    ]);
    expect(sum(world)).toBe(5);
  });

  it('covers the table by its segments, each job in one of them', async () => {
    const world = aWorld();
    const names = Array.from({ length: 20 }, (_, i) => `job-${i}`);
    await stored(world, ...names.map((name) => aJob(name, { events: 1 })));
    const counts: number[] = [];
    for (const segment of [0, 1, 2])
      counts.push((await rebuildProjections([sums()], world, { from: { segment, of: 3 } })).jobs);

    expect(counts.reduce((a, b) => a + b)).toBe(20);
    expect(counts.every((count) => count < 20)).toBe(true);
    expect(sum(world)).toBe(20);
  });

  it('names jobs whose rows lack what a delta needs, and guesses nothing for them', async () => {
    const world = aWorld();
    const trimmed = aJob('a', { first: 3 });
    const newer = aJob('b', { schema: 9 });
    const whole = aJob('c', { events: 1 });
    const erased = { ...aJob('d', { events: 2 }), events: [], firstN: 5 };
    await stored(world, trimmed, newer, whole, erased);

    const { left } = await rebuildProjections([sums()], world);

    expect(new Set(left)).toEqual(new Set([trimmed.id, newer.id, erased.id]));
    expect(sum(world)).toBe(1);
  });

  it('writes nothing once its epoch is over', async () => {
    const world = aWorld();
    await stored(world, aJob('a'));

    const rebuild = rebuildProjections([sums()], world, { epoch: { isOpen: () => false } });

    await expect(rebuild).rejects.toMatchObject({ code: 'epoch-over' });
    expect(world.store.all('own')).toEqual([]);
  });

  it.each([
    { segment: 1, of: 1 },
    { segment: -1, of: 1 },
    { segment: 0.5, of: 1 },
    { segment: 0, of: 0 },
  ])('refuses a place that there is not: %j', async (from) => {
    await expect(rebuildProjections([sums()], aWorld(), { from })).rejects.toMatchObject({
      code: 'setting-invalid',
    });
  });

  it('refuses tables that are not there', async () => {
    await expect(rebuildProjections([sums('fill', 'none')], aWorld())).rejects.toMatchObject({
      code: 'table-unknown',
    });
  });
});
