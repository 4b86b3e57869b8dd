import type { Duration, Instant } from './brand.ts';
import { Failure } from './failure.ts';

/** A {@link Duration} of so many milliseconds, for measured times; settings are written with {@link seconds} and longer. */
export const milliseconds = (count: number): Duration => checked(count, 1, 'milliseconds');

/**
 * So many seconds; fractions are allowed.
 *
 * @throws Failure `duration-invalid` for a count that is negative or not a number
 */
export const seconds = (count: number): Duration => checked(count, 1_000, 'seconds');

/** So many minutes; see {@link seconds}. */
export const minutes = (count: number): Duration => checked(count, 60_000, 'minutes');

/** So many hours; see {@link seconds}. */
export const hours = (count: number): Duration => checked(count, 3_600_000, 'hours');

/** So many days of 24 hours; see {@link seconds}. */
export const days = (count: number): Duration => checked(count, 86_400_000, 'days');

/** No time at all. */
export const nothing: Duration = 0 as Duration;

/** The point in time that lies `length` behind `start`. */
export const later = (start: Instant, length: Duration): Instant => (start + length) as Instant;

/** When DynamoDB may forget what is kept for `length` from `start` on: its time to live, in epoch seconds. */
export const timeToLive = (start: Instant, length: Duration): number =>
  Math.ceil(later(start, length) / 1_000);

/** How long it is from `start` to `end`; nothing when `end` lies before `start`. */
export const between = (start: Instant, end: Instant): Duration =>
  Math.max(0, end - start) as Duration;

/** Both lengths one after the other. */
export const sum = (a: Duration, b: Duration): Duration => (a + b) as Duration;

/** The shorter of two lengths. */
export const shorter = (a: Duration, b: Duration): Duration => Math.min(a, b) as Duration;

/** `length`, multiplied. */
export const times = (length: Duration, factor: number): Duration =>
  Math.round(length * factor) as Duration;

/** A length of time as a person writes it: `90 s`, `250 ms`. */
export const spoken = (length: Duration): string =>
  length < 1_000 ? `${length} ms` : `${length / 1_000} s`;

function checked(count: number, unit: number, name: string): Duration {
  if (Number.isFinite(count) && count >= 0) return (count * unit) as Duration;
  throw new Failure('duration-invalid', `${name}(…) takes a number from 0 on, got ${count}`, {
    remedy: 'dead-letter',
    facts: { unit: name, count },
  });
}
