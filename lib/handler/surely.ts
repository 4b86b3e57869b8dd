import type { Epoch } from '../kernel/epoch.ts';
import { milliseconds, times } from '../kernel/time.ts';
import type { Commit, Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';

/** How often a write is sent whose reply got lost; sent again it is recognised by its attempt id, incarnation or event. */
const tries = 4;

/** Commits, and sends the same writes again while no reply comes; `unknown` only when none came at all. @throws Failure `epoch-over` */
export async function surely(
  world: Pick<World, 'store' | 'clock' | 'random'>,
  writes: readonly Write[],
  epoch?: Epoch,
): Promise<Commit> {
  for (let done = 1; ; done++) {
    const commit = await world.store.commit(writes, epoch);
    if (commit.kind !== 'unknown' || done === tries) return commit;
    await world.clock.sleep(times(milliseconds(50 * 2 ** done), world.random.fraction()));
  }
}

/** What the store decided. @throws Error as {@link noReply}, when no reply came at all */
export function judged(commit: Commit, to: string): Exclude<Commit, { readonly kind: 'unknown' }> {
  if (commit.kind === 'unknown') throw noReply(to);
  return commit;
}

/** A `TimeoutError`, which is read as an outage: nothing counts, and the message comes back. */
export const noReply = (to: string): Error =>
  Object.assign(new Error(`no reply came ${to}`), { name: 'TimeoutError' });
