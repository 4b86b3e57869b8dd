import type { Duration } from '../../lib/kernel/brand.ts';
import { later } from '../../lib/kernel/time.ts';
import type { HandClock } from '../../lib/local/hand-clock.ts';

/** Moves a clock on, and lets what falls due run to its next wait each time. */
export async function moved(clock: HandClock, by: Duration): Promise<void> {
  const until = later(clock.now(), by);
  do await settled();
  while (clock.step(until));
  await settled();
}

/** Lets everything run that waits for no clock. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
