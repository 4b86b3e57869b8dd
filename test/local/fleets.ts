import type { Handler } from '../../lib/handler/queue-handler.ts';
import { minutes } from '../../lib/kernel/time.ts';
import { FaultPlan } from '../../lib/local/faults.ts';
import { Fleet, type FleetSettings } from '../../lib/local/fleet.ts';
import { Pace } from '../../lib/local/pace.ts';
import type { World } from '../../lib/ports/world.ts';
import { aWorld } from '../handler/world.ts';

type Settings = FleetSettings<string, string>;

/** A function called `work` with one worker and a minute of time, and everything that it stands on. */
export function aFleet(
  make: (world: World) => Handler<string, string>,
  over: Partial<Pick<Settings, 'workers' | 'timeout' | 'skews' | 'world'>> = {},
) {
  const world = aWorld();
  const activity = { count: 0 };
  const faults = new FaultPlan(world.clock);
  const fleet = new Fleet<string, string>({
    name: 'work',
    world,
    workers: 1,
    timeout: minutes(1),
    ...over,
    faults,
    activity,
    make,
  });
  const pace = new Pace(world.clock, activity, () => fleet.isBusy());
  return { world, clock: world.clock, faults, fleet, pace };
}

/** How an invocation ended: its response, or the sentence of its error. */
export const ended = (invocation: Promise<string>): Promise<string> =>
  invocation.catch((thrown: Error) => thrown.message);
