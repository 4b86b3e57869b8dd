import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../lib/kernel/time.ts';
import { FaultPlan } from '../../lib/local/faults.ts';
import { Fleet } from '../../lib/local/fleet.ts';
import { Pace } from '../../lib/local/pace.ts';
import type { World } from '../../lib/ports/world.ts';
import { aWorld } from '../handler/world.ts';

/** A function with one worker that stands still at its first call, ran out of time there, and goes on with `work` once thawed. */
async function aZombie(work: (world: World) => Promise<void>) {
  const world = aWorld();
  const activity = { count: 0 };
  const faults = new FaultPlan(world.clock);
  const fleet = new Fleet<undefined, void>({
    name: 'export',
    world,
    workers: 1,
    timeout: minutes(1),
    faults,
    activity,
    make: (own) => async () => {
      await own.store.read('jobs', { pk: 'any' });
      await work(own);
    },
  });
  const pace = new Pace(world.clock, activity, () => fleet.isBusy());
  const { thaw } = faults.freeze({ step: 1, of: 'export', worker: 1 });
  const end = fleet.invoke(undefined).catch((thrown: unknown) => thrown);
  await pace.forward(minutes(2));
  return { fleet, pace, thaw, end: await end, clock: world.clock };
}

describe('a zombie', () => {
  it('leaves its place to a fresh sandbox, and counts as idle while it stands still', async () => {
    const { fleet, end } = await aZombie(async () => {});

    expect(end).toEqual(new Error('export ran out of time'));
    expect(fleet.free()).toBe(1);
    expect(fleet.isBusy()).toBe(false);
  });

  it('is waited for while it reads the disk, before time moves on', async () => {
    const seen: number[] = [];
    const { fleet, pace, thaw, clock } = await aZombie(async (world) => {
      for (let i = 0; i < 20; i++) await readFile('package-lock.json');
      seen.push(world.clock.now());
    });
    const thawed = clock.now();

    thaw();
    await pace.forward(hours(1));

    expect(seen).toEqual([thawed]);
    expect(fleet.isBusy()).toBe(false);
  });

  it('is not waited for while it sleeps on the clock, and ends in its time', async () => {
    const seen: number[] = [];
    const { pace, thaw, clock } = await aZombie(async (world) => {
      await world.clock.sleep(seconds(90));
      seen.push(world.clock.now());
    });
    const thawed = clock.now();

    thaw();
    await pace.forward(hours(1));

    expect(seen).toEqual([thawed + seconds(90)]);
  });
});
