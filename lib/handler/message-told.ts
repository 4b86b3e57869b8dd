import type { Instant } from '../kernel/brand.ts';
import type { Happening } from '../kernel/happening.ts';
import { never } from '../kernel/never.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { between } from '../kernel/time.ts';

/** When a message was begun and when it ended. */
export interface Span {
  readonly since: Instant;
  readonly now: Instant;
}

/** As much of a message as observers are told. */
export interface Described {
  readonly id: string;
  readonly group: string;
  /** Undefined where nothing counts attempts. */
  readonly attempt: number | undefined;
  readonly record: { readonly eventSourceARN: string };
}

/** How a message ended, as observers are told. */
export function messageTold(
  { id, group, attempt, record }: Described,
  outcome: Outcome,
  { since, now }: Span,
): Happening {
  const about = { at: now, queue: record.eventSourceARN, group, messageId: id };
  switch (outcome.kind) {
    case 'done':
      return {
        ...about,
        kind: outcome.repeated ? 'message-repeated' : 'message-done',
        took: between(since, now),
      };
    case 'failed':
      return {
        ...about,
        kind: 'message-failed',
        attempt: outcome.attempt ?? attempt,
        failure: outcome.failure,
      };
    case 'dead-lettered':
    case 'parked': {
      const { kind, ...how } = outcome;
      return { ...about, kind: `message-${kind}`, ...how };
    }
    case 'held-back':
      return { ...about, kind: 'message-held-back', behind: outcome.behind };
    case 'out-of-time':
      return { ...about, kind: 'message-out-of-time', behind: outcome.behind };
    default:
      return never(outcome);
  }
}
