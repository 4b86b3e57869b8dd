import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { exportInput } from '../../../functions/export/input.ts';

const issues = (input: unknown): string[] =>
  v
    .safeParse(exportInput, input)
    .issues?.map(({ message, path }) =>
      [path?.map(({ key }) => String(key)).join('.'), message].join(': '),
    ) ?? [];

describe('the input of an export', () => {
  it('needs only the name of a dataset', () => {
    expect(v.parse(exportInput, { dataset: 'cars' })).toEqual({
      dataset: 'cars',
      where: [],
      format: 'csv',
      compress: false,
    });
  });

  it('survives being checked twice', () => {
    const once = v.parse(exportInput, {
      dataset: 'cars',
      columns: ['a'],
      where: [{ column: 'a', is: 'less', value: 1 }],
    });

    expect(v.parse(exportInput, JSON.parse(JSON.stringify(once)))).toEqual(once);
  });

  it.each<[unknown, string]>([
    [{}, 'dataset'],
    [{ dataset: '' }, 'dataset: a dataset must be named, got ""'],
    [{ dataset: 1 }, 'dataset: expected the name of a dataset'],
    [{ dataset: 'd', columns: [] }, 'columns: name at least one column'],
    [{ dataset: 'd', columns: 'a' }, 'columns: expected a list of columns'],
    [{ dataset: 'd', columns: ['a', 1] }, 'columns.1: expected the name of a column'],
    [{ dataset: 'd', columns: ['a', 'a'] }, 'columns: a column is named twice'],
    [{ dataset: 'd', format: 'xlsx' }, 'format: expected "csv" or "ndjson"'],
    [{ dataset: 'd', compress: 'yes' }, 'compress: expected true or false'],
    [{ dataset: 'd', colums: ['a'] }, 'colums'],
    [
      { dataset: 'd', where: [{ column: 'a', is: 'like', value: 'x' }] },
      'where.0.is: expected { column, is, value } where `is` is one of',
    ],
    [
      { dataset: 'd', where: [{ column: 'a', is: 'less', value: null }] },
      'where.0.value: expected a text or a number',
    ],
    [
      { dataset: 'd', where: [{ column: 'a', is: 'contains', value: 1 }] },
      'where.0.value: expected a text',
    ],
    [
      { dataset: 'd', where: [{ column: 'a', is: 'equals', value: [] }] },
      'where.0.value: expected a text, a number, true, false or null',
    ],
  ])('refuses %j and says where and why', (input, sentence) => {
    expect(issues(input)).toEqual([expect.stringContaining(sentence)]);
  });
});
