import type { Duration } from '../kernel/brand.ts';
import { isAcknowledged } from '../kernel/outcome.ts';
import { lengths } from '../kernel/settings.ts';
import { nothing, shorter, sum } from '../kernel/time.ts';
import type { Hiding } from '../ports/visibility.ts';
import type { Ended } from './run-groups.ts';

/**
 * When the messages of a group that ended shall come back: a head that asked to wait after its wait, what is behind it a
 * little later, so that the head comes back alone and the rest pays no receive; what was never started at once. Where the
 * head asked for nothing, the queue's own visibility timeout decides. Nothing is hidden for longer than SQS allows.
 */
export function hidings<M extends { readonly handle: string }>(
  group: readonly Ended<M>[],
): readonly Hiding[] {
  const [head, ...rest] = group.filter(({ outcome }) => !isAcknowledged(outcome));
  if (head === undefined || isAcknowledged(head.outcome)) return [];
  if (head.outcome.kind === 'out-of-time') return [head, ...rest].map(hiddenFor(nothing));
  const { wait } = head.outcome;
  if (wait === undefined) return [];
  return [hiddenFor(wait)(head), ...rest.map(hiddenFor(sum(wait, lengths.behindHead)))];
}

/** SQS counts its 12 hours from the receive, which lies before the invocation's start. */
const longest = (lengths.longestHiding - lengths.longestInvocation) as Duration;

const hiddenFor =
  (length: Duration) =>
  ({ message }: Ended<{ readonly handle: string }>): Hiding => ({
    handle: message.handle,
    length: shorter(length, longest),
  });
