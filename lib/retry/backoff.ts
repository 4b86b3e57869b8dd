import type { Duration } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { hours, minutes, seconds, shorter, sum, times } from '../kernel/time.ts';
import type { Random } from '../ports/random.ts';

/** The shortest wait: never below the grace of code that overran, since a message that is back runs elsewhere while that code may still go on. */
export const soon: Duration = sum(lengths.grace, seconds(1));

/** Full jitter between zero and base · 2^attempt, never above `cap`, for attempts 1, 2, 3 …; at least 2 seconds. */
export function backoff(
  attempt: number,
  { base, cap }: { readonly base: Duration; readonly cap: Duration },
  random: Random,
): Duration {
  return jittered(shorter(cap, times(base, 2 ** Math.min(attempt, 40))), random);
}

/** An outage's own backoff: full jitter up to a minute in its first hour, up to five minutes after it. */
export function outageBackoff(lasted: Duration, random: Random): Duration {
  return jittered(lasted < hours(1) ? minutes(1) : minutes(5), random);
}

const jittered = (most: Duration, random: Random): Duration =>
  Math.max(soon, times(shorter(most, lengths.longestHiding), random.fraction())) as Duration;
