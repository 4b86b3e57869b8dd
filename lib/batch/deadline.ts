import type { Duration, Instant } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { shorter, times } from '../kernel/time.ts';

/** The moments before an invocation's end, each later than the one before. */
export interface Deadline {
  /** Nothing is started any more, and the signal fires. */
  readonly signal: Instant;
  /** User code is no longer waited for. */
  readonly over: Instant;
  /** Whatever has no verdict now is failed, and the response is given. */
  readonly close: Instant;
}

/** The moments that follow from an invocation's end and the margin kept free before it. */
export function deadline(end: Instant, margin: Duration): Deadline {
  const signal = (end - margin) as Instant;
  const grace = shorter(lengths.grace, times(margin, 0.5));
  return {
    signal,
    over: (signal + grace) as Instant,
    close: (end - times(margin, 0.25)) as Instant,
  };
}
