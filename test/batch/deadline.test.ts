import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadline } from '../../lib/batch/deadline.ts';
import type { Duration, Instant } from '../../lib/kernel/brand.ts';

describe('a deadline', () => {
  it.each([
    { end: 60_000, margin: 2_000, signal: 58_000, over: 59_000, close: 59_500 },
    { end: 60_000, margin: 20_000, signal: 40_000, over: 41_000, close: 55_000 },
    { end: 1_000, margin: 400, signal: 600, over: 800, close: 900 },
  ])(
    'at $end with a margin of $margin leaves a grace and a last net',
    ({ end, margin, ...moments }) => {
      expect(deadline(end as Instant, margin as Duration)).toEqual(moments);
    },
  );

  it('has its moments in order, and none behind the end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 1, max: 1e6 }),
        (end, margin) => {
          const { signal, over, close } = deadline(end as Instant, margin as Duration);

          expect(signal).toBeLessThan(over);
          expect(over).toBeLessThanOrEqual(close);
          expect(close).toBeLessThanOrEqual(end);
        },
      ),
    );
  });
});
