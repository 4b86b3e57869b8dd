import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { checkpoint } from '../../lib/local/checkpoint.ts';

const records: DynamoDBRecord[] = ['10', '11', '12'].map((SequenceNumber) => ({
  dynamodb: { SequenceNumber },
}));
const named = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('a stream’s checkpoint, as Lambda reads it (facts outbox L3, L4)', () => {
  it.each<[string, unknown, number | undefined]>([
    ['nothing at all', undefined, undefined],
    ['null', null, undefined],
    ['an empty object', {}, undefined],
    ['an empty list', named(), undefined],
    ['one record', named('11'), 1],
    ['several, of which the lowest counts', named('12', '11'), 1],
    ['an unknown number', named('99'), 0],
    ['an empty number', named(''), 0],
    ['null as a number', named(null), 0],
    ['a known number beside an unknown one', named('11', '99'), 0],
    ['a number that stands alone', { batchItemFailures: ['11'] }, 0],
    ['something that is no list', { batchItemFailures: '11' }, 0],
    ['a list instead of an object', [undefined], 0],
    ['a text', 'done', 0],
    ['another key', { batchItemFailures: [{ foo: '11' }] }, 0],
  ])('comes from %s', (_, response, at) => {
    expect(checkpoint(response, records)).toBe(at);
  });
});
