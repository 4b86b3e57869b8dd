import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Duration } from '../../lib/kernel/brand.ts';
import { hours, minutes, nothing, seconds } from '../../lib/kernel/time.ts';
import { backoff, outageBackoff } from '../../lib/retry/backoff.ts';

const by = { base: seconds(5), cap: minutes(15) };
const rolled = (fraction: number) => ({ fraction: () => fraction, ulid: () => '' });
const highest = rolled(0.999_999);

describe('a backoff', () => {
  it.each([
    { attempt: 1, most: seconds(10) },
    { attempt: 2, most: seconds(20) },
    { attempt: 3, most: seconds(40) },
    { attempt: 7, most: seconds(640) },
    { attempt: 8, most: minutes(15) },
    { attempt: 10_000, most: minutes(15) },
  ])('after attempt $attempt is at most $most ms (case fifo 28)', ({ attempt, most }) => {
    expect(backoff(attempt, by, highest) / most).toBeCloseTo(1, 4);
    expect(backoff(attempt, by, rolled(0.5)) / most).toBeCloseTo(0.5, 4);
  });

  it('outlasts the grace of code that overran, whatever chance says (trace H32)', () => {
    expect(backoff(1, by, rolled(0))).toBe(seconds(2));
    expect(outageBackoff(nothing, rolled(0))).toBe(seconds(2));
  });

  it('is a whole number of milliseconds from 2 seconds to its cap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 2_000, max: hours(12) }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, cap, fraction) => {
          const wait = backoff(
            attempt,
            { base: seconds(1), cap: cap as Duration },
            rolled(fraction),
          );

          expect(Number.isInteger(wait)).toBe(true);
          expect(wait).toBeGreaterThanOrEqual(2_000);
          expect(wait).toBeLessThanOrEqual(cap);
        },
      ),
    );
  });
});

describe("an outage's backoff", () => {
  it.each([
    { lasted: nothing, most: minutes(1) },
    { lasted: minutes(59), most: minutes(1) },
    { lasted: hours(1), most: minutes(5) },
    { lasted: hours(23), most: minutes(5) },
  ])('after $lasted ms is at most $most ms', ({ lasted, most }) => {
    expect(outageBackoff(lasted, highest) / most).toBeCloseTo(1, 4);
  });
});
