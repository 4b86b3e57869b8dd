import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type AttributeValue, marshalled, unmarshalled } from '../../lib/kernel/attribute-value.ts';
import { isFailure } from '../../lib/kernel/failure.ts';
import type { Row } from '../../lib/ports/store.ts';

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

const pairs: [string, Row[string], AttributeValue][] = [
  ['a text', 'ü', { S: 'ü' }],
  ['an empty text', '', { S: '' }],
  ['a number', -1.5, { N: '-1.5' }],
  ['the largest safe whole number', Number.MAX_SAFE_INTEGER, { N: '9007199254740991' }],
  ['a whole number beyond 2^53', 2n ** 63n + 1n, { N: '9223372036854775809' }],
  ['a boolean', false, { BOOL: false }],
  ['null', null, { NULL: true }],
  ['bytes', new Uint8Array([102, 111, 111, 98, 97, 114]), { B: 'Zm9vYmFy' }],
  ['a list', ['a', 1, [null]], { L: [{ S: 'a' }, { N: '1' }, { L: [{ NULL: true }] }] }],
  ['a map', { a: { b: true } }, { M: { a: { M: { b: { BOOL: true } } } } }],
];

describe('an attribute value', () => {
  it.each(pairs)('carries %s, there and back', (_, value, attribute) => {
    expect(marshalled({ value })).toEqual({ value: attribute });
    expect(unmarshalled({ value: attribute })).toEqual({ value });
  });

  it('leaves out what has no value, at every depth', () => {
    const row: Row = { none: undefined, map: { none: undefined, n: 1 } };

    expect(marshalled(row)).toEqual({ map: { M: { n: { N: '1' } } } });
    expect(Object.keys(marshalled(row))).toEqual(['map']);
  });

  it.each<[string, AttributeValue, Row[string]]>([
    ['texts', { SS: ['a', 'b'] }, ['a', 'b']],
    ['numbers', { NS: ['1', '2.5'] }, [1, 2.5]],
    ['bytes', { BS: ['Zm9v'] }, ['Zm9v']],
  ])('reads a set of %s as a list', (_, value, list) => {
    expect(unmarshalled({ value })).toEqual({ value: list });
  });

  it.each([
    ['12345678901234567890123456789012345678', 12345678901234567890123456789012345678n],
    ['-9007199254740993', -9007199254740993n],
    ['1E+21', 10n ** 21n],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['0.1', 0.1],
    ['1e-7', 1e-7],
  ])('reads the number %s with all its digits (fact outbox S10)', (N, value) => {
    expect(unmarshalled({ value: { N } })).toEqual({ value });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 10n ** 38n + 1n, -1e126, 1e-131])(
    'refuses %s, which DynamoDB can’t hold',
    (value) => {
      const attempt = () => marshalled({ value });

      expect(attempt).toThrow(/at most 38 digits, got/);
      expect(attempt).toThrow(expect.toSatisfy(isFailure));
    },
  );

  it('takes any name for a field, also one that objects have by nature', () => {
    const row: Row = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');

    const back = unmarshalled(marshalled(row));

    expect(JSON.stringify(back)).toBe(JSON.stringify(row));
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
  });

  it('reads numbers inside lists, maps and sets as JSON has them, never as bigints', () => {
    const n = { N: '100000000000000000' };

    expect(unmarshalled({ list: { L: [n] }, map: { M: { n } }, set: { NS: [n.N] } })).toEqual({
      list: [1e17],
      map: { n: 1e17 },
      set: [1e17],
    });
  });

  it('gives back every row of JSON, bytes and large whole numbers', () => {
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
    const large = fc.bigInt({ min: 2n ** 53n, max: 2n ** 120n });
    const value = fc.oneof(json.filter(holdable), large, fc.uint8Array());

    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (row) => {
        expect(unmarshalled(marshalled(row))).toEqual({ ...row });
      }),
    );
  });

  it('fits the records that Lambda gives to functions', () => {
    expectTypeOf<Image>().toExtend<Record<string, AttributeValue>>();
    expectTypeOf<Record<string, AttributeValue>>().toExtend<Image>();
  });
});

/** Whether a field of this value comes back as it is: a number that DynamoDB can't hold is refused, a large whole one comes back as a bigint. */
const holdable = (value: unknown): boolean =>
  insideHoldable(value) && (Number.isSafeInteger(value) || !Number.isInteger(value));

function insideHoldable(value: unknown): boolean {
  if (typeof value === 'number')
    return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) < 1e126);
  return typeof value !== 'object' || value === null || Object.values(value).every(insideHoldable);
}
