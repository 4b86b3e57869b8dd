import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Instant } from '../../lib/kernel/brand.ts';
import { inReplayOrder, type Replayable } from '../../lib/outbox/replay-order.ts';

const event = (job: string, sequence: number, at: number): Replayable => ({
  group: 'G',
  job,
  sequence,
  at: at as Instant,
});
const names = (all: readonly Replayable[]): string[] =>
  inReplayOrder(all).map(({ job, sequence }) => `${job}${sequence}`);

describe('the order of a replay', () => {
  it('is that of the commits, and inside a job that of its events', () => {
    expect(names([event('b', 1, 20), event('a', 2, 30), event('a', 1, 10)])).toEqual([
      'a1',
      'b1',
      'a2',
    ]);
  });

  it('never follows a clock that was behind past an earlier event of the same job', () => {
    expect(names([event('a', 2, 5), event('a', 1, 10), event('b', 1, 7)])).toEqual([
      'b1',
      'a1',
      'a2',
    ]);
  });

  it('keeps each job’s sequence whatever the clocks say, and loses and doubles none', () => {
    const some = fc.array(
      fc.record({ job: fc.constantFrom('a', 'b', 'c'), at: fc.nat({ max: 9 }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(some, (drawn) => {
        const counts: Record<string, number> = {};
        const all = drawn.map(({ job, at }) => {
          counts[job] = (counts[job] ?? 0) + 1;
          return event(job, counts[job] ?? 0, at);
        });
        const ordered = inReplayOrder(all);
        expect(ordered).toHaveLength(all.length);
        for (const job of ['a', 'b', 'c'])
          expect(ordered.filter((it) => it.job === job).map(({ sequence }) => sequence)).toEqual(
            Array.from({ length: counts[job] ?? 0 }, (_, i) => i + 1),
          );
      }),
    );
  });
});
