import type { Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { lengths } from '../kernel/settings.ts';
import { between, later } from '../kernel/time.ts';
import type { Row } from '../ports/store.ts';
import type { Asked } from './asked.ts';

/** Events committed from `since` on and before `until`. */
export interface Window {
  readonly since: Instant;
  readonly until: Instant;
}

/** What the ledger says, and what time it is. */
export interface Known {
  readonly now: Instant;
  /** How far reconcile came; undefined where it never came to an end, and then the window has no beginning. */
  readonly reached: Instant | undefined;
  /** The row in which the relay says when it last ran. */
  readonly heartbeat: Row | undefined;
}

/**
 * The window of a pass: from an hour before what was reached, since clocks differ, until what the relay may still be at.
 *
 * @throws Failure `window-invalid` for a window of one's own that would end before it begins
 */
export function windowOf(known: Known, asked: Pick<Asked, 'since' | 'until'>): Window {
  const since =
    asked.since ?? (known.reached === undefined ? beginning : before(known.reached, 'overlap'));
  const until = asked.until ?? (Math.max(since, lastSettled(known)) as Instant);
  if (since <= until) return { since, until };
  throw permanent(
    'window-invalid',
    `"until" must lie behind the window's beginning, which is ${isoTime(since)}, got ${isoTime(until)}: name "since" too`,
  );
}

const beginning = 0 as Instant;

/** A relay that is late but runs will still publish what is younger than its oldest record; one that is silent won't. */
function lastSettled({ now, heartbeat }: Known): Instant {
  const ranAt = Number(heartbeat?.['at'] ?? 0) as Instant;
  const isRunning = between(ranAt, now) < lengths.relayGrace;
  const age = isRunning ? Number(heartbeat?.['oldestAge'] ?? 0) : 0;
  return (now - Math.max(lengths.relayGrace, age)) as Instant;
}

/** From here on the ledger still proves what was published; the margin is for items that run out meanwhile. */
export const provableFrom = (now: Instant): Instant =>
  later(before(now, 'ledgerMemory'), lengths.overlap);

/** So much earlier, and never before all time. */
export const before = (at: Instant, length: 'overlap' | 'ledgerMemory'): Instant =>
  Math.max(0, at - lengths[length]) as Instant;
