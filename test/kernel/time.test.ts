import { describe, expect, it } from 'vitest';
import { between, days, hours, later, minutes, seconds } from '../../lib/kernel/time.ts';
import { at } from '../job/rows.ts';

describe('a length of time', () => {
  it('is made by its unit', () => {
    expect([seconds(1.5), minutes(1), hours(1), days(1)]).toEqual([
      1_500, 60_000, 3_600_000, 86_400_000,
    ]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused for %d, and the value shown',
    (count) => {
      expect(() => minutes(count)).toThrow(`minutes(…) takes a number from 0 on, got ${count}`);
    },
  );

  it('lies between two points in time, and is nothing backwards', () => {
    expect(between(at(1), later(at(1), seconds(2)))).toBe(2_000);
    expect(between(at(9), at(1))).toBe(0);
  });
});
