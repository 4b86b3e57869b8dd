import type { Instant } from '../kernel/brand.ts';
import type { Happening } from '../kernel/happening.ts';
import { never } from '../kernel/never.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { between } from '../kernel/time.ts';
import type { Message } from './message.ts';

/** When a message was begun and when it ended. */
export interface Span {
  readonly since: Instant;
  readonly now: Instant;
}

/** How a message ended, as observers are told. */
export function messageTold(
  { id, group, attempt, record }: Message<string>,
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
    case 'dead-lettered':
    case 'parked':
      return {
        ...about,
        kind: `message-${outcome.kind}`,
        attempt: outcome.attempt ?? attempt,
        failure: outcome.failure,
      };
    case 'held-back':
      return { ...about, kind: 'message-held-back', behind: outcome.behind };
    case 'out-of-time':
      return { ...about, kind: 'message-out-of-time', behind: outcome.behind };
    default:
      return never(outcome);
  }
}
