import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkpoint } from '../../lib/batch/checkpoint.ts';
import type { Outcome } from '../../lib/kernel/outcome.ts';

const done: Outcome = { kind: 'done' };
const late: Outcome = { kind: 'out-of-time', behind: undefined };

test('the same offset in two partitions is two places', () => {
  const records = [
    { shard: 'a', offset: 7 },
    { shard: 'b', offset: 7 },
  ];
  expect(checkpoint(records, [done, late])).toEqual([records[1]]);
});

test('a record without any verdict is not passed', () => {
  const records = [{ shard: 'a' }, { shard: 'a' }];
  expect(checkpoint(records, [done, undefined])).toEqual([records[1]]);
});

test('no checkpoint passes an unfinished record, and none stands before the first one', () => {
  const one = fc.record({
    shard: fc.constantFrom('a', 'b', 'c'),
    verdict: fc.constantFrom(done, late, undefined),
  });
  fc.assert(
    fc.property(fc.array(one), (records) => {
      const held = checkpoint(
        records,
        records.map(({ verdict }) => verdict),
      );
      for (const shard of ['a', 'b', 'c']) {
        const unfinished = records.filter((it) => it.shard === shard && it.verdict !== done);
        expect(held.filter((it) => it.shard === shard)).toEqual(unfinished.slice(0, 1));
      }
    }),
  );
});
