import { describe, expect, it } from 'vitest';
import { keptBy } from '../../lib/local/queue-mapping.ts';
import { aRecord } from '../handler/world.ts';

const records = [aRecord('A1'), aRecord('A2'), aRecord('B1')];
const all = ['A1', 'A2', 'B1'];

describe('a response, as Lambda reads it (facts fifo 2.2)', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing at all', undefined, []],
    ['null', null, []],
    ['an empty object', {}, []],
    ['an empty list', { batchItemFailures: [] }, []],
    ['a list that is null', { batchItemFailures: null }, []],
    ['known ids', { batchItemFailures: [{ itemIdentifier: 'A2' }] }, ['A2']],
    ['an unknown id (case fifo 37)', { batchItemFailures: [{ itemIdentifier: 'nope' }] }, all],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, all],
    ['an id that is null', { batchItemFailures: [{ itemIdentifier: null }] }, all],
    ['another key', { batchItemFailures: [{ foo: 'A1' }] }, all],
    ['an array instead of an object (case fifo 18)', [undefined], all],
    ['a text', 'done', all],
  ])('keeps what %s names', (_, response, kept) => {
    expect([...keptBy(response, records)]).toEqual(kept);
  });
});
