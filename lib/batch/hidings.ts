import type { Duration } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { nothing, shorter, sum } from '../kernel/time.ts';
import type { Hiding } from '../ports/visibility.ts';
import type { Ended } from './run-groups.ts';

/**
 * When the messages of a group that ended shall come back: a head that asked to wait after its wait, what is behind it a
 * little later, so that the head comes back alone and the rest pays no receive; what was never started at once. Where the
 * head asked for nothing, the queue's own visibility timeout decides.
 */
export function hidings<M extends { readonly handle: string }>(
  group: readonly Ended<M>[],
): readonly Hiding[] {
  const stopped = group.filter(({ outcome }) => outcome.kind !== 'done');
  const wait = waitOf(stopped[0]);
  if (wait === undefined) return [];
  return stopped.map(({ message: { handle } }, i) => ({
    handle,
    length:
      i === 0 || wait === nothing
        ? wait
        : shorter(sum(wait, lengths.behindHead), lengths.longestHiding),
  }));
}

function waitOf<M>(head: Ended<M> | undefined): Duration | undefined {
  if (head === undefined || head.outcome.kind === 'done') return undefined;
  return head.outcome.kind === 'out-of-time' ? nothing : head.outcome.wait;
}
