import { describe, expect, it } from 'vitest';
import { chosen } from '../../../functions/export/chosen.ts';
import { exactJson } from '../../../functions/export/exact-json.ts';
import type { RowCondition } from '../../../functions/export/input.ts';

type Is = RowCondition['is'];
type Value = RowCondition['value'];

const cases: [unknown, Is, Value, boolean][] = [
  [1, 'equals', 1, true],
  ['1.0', 'equals', 1, true],
  [' 1', 'equals', 1, true],
  ['1.0', 'equals', '1', false],
  [1, 'equals', '1', true],
  ['', 'equals', 0, false],
  ['x', 'equals', 0, false],
  [true, 'equals', true, true],
  ['true', 'equals', true, true],
  [1, 'equals', true, false],
  [null, 'equals', null, true],
  [undefined, 'equals', null, true],
  ['', 'equals', null, true],
  [0, 'equals', null, false],
  [null, 'equals', 'null', false],
  [exactJson('9007199254740993'), 'equals', '9007199254740993', true],
  [exactJson('9007199254740993'), 'equals', '9007199254740992', false],
  [[1, 2], 'equals', '[1,2]', true],
  [1, 'not-equals', 2, true],
  [1, 'not-equals', 1, false],
  [null, 'not-equals', 1, true],
  [2, 'less', 10, true],
  ['2', 'less', 10, true],
  ['2', 'less', '10', false],
  [10, 'less', 10, false],
  [10, 'greater', 10, false],
  [11, 'greater', 10, true],
  ['', 'less', 10, false],
  [null, 'less', 10, false],
  [null, 'less', 'x', false],
  [null, 'greater', '', false],
  ['x', 'less', 10, false],
  ['x', 'greater', 10, false],
  ['2012-01-31', 'greater', '2012-01-04', true],
  ['2012-01-04', 'less', '2012-01-31', true],
  [exactJson('1e400'), 'greater', 5, true],
  ['Ford Torino', 'contains', 'Tor', true],
  ['Ford Torino', 'contains', 'tor', false],
  [1234, 'contains', '23', true],
  [null, 'contains', 'null', false],
];

describe('a condition', () => {
  it.each(cases)('on %j: %s %j is %s', (cell, is, value, met) => {
    const condition = { column: 'a', is, value } as RowCondition;

    expect(chosen({ a: cell }, [condition])).toBe(met);
  });

  it('is met together with every other', () => {
    const where: RowCondition[] = [
      { column: 'a', is: 'greater', value: 1 },
      { column: 'b', is: 'equals', value: 'x' },
    ];

    expect(chosen({ a: 2, b: 'x' }, where)).toBe(true);
    expect(chosen({ a: 2, b: 'y' }, where)).toBe(false);
    expect(chosen({ a: 2, b: 'y' }, [])).toBe(true);
  });
});
