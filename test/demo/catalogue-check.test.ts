import type { Row, Store } from 'lanekeeper';
import { describe, expect, it } from 'vitest';
import { catalogueCheck, type ExportView } from '../../demo/catalogue-check.ts';

const head = { intentId: 'a', groupId: 'g', generation: 1, version: 3 };
const result = { key: 'results/1', size: 1, checksum: '', contentType: 'text/csv' };
const job = { ...head, id: 'export-1', status: 'succeeded', data: { rows: 5 }, result } as unknown;
const cancelled = { ...head, id: 'export-2', status: 'cancelled' } as unknown;
const views = [job, cancelled] as readonly ExportView[];

const end = { pk: 'export#export-1', sk: 'end', intentId: 'a', groupId: 'g', rows: 5 };
const whole = { ...end, file: 'results/1' };
const total = { pk: 'group#g', sk: 'total', exports: 1, rows: 5 };

const table = (...rows: readonly Row[]): Pick<Store, 'scan'> => ({
  async *scan() {
    yield* rows;
  },
});

describe('a check of the catalogue', () => {
  it('finds nothing where it is true, cursors and removed rows aside', async () => {
    const cursor = { pk: 'cursor#totals#export-1', sk: 'cursor', sequence: 1 };
    const removed = { pk: 'export#export-2', sk: 'end', _removed: 1 };

    expect(await catalogueCheck(table(whole, total, cursor, removed), views)).toEqual({
      exports: 1,
      totals: [{ groupId: 'g', exports: 1, rows: 5 }],
      wrong: [],
    });
  });

  it.each<[string, readonly Row[], readonly RegExp[]]>([
    ['an export that is missing', [total], [/^lacks export#export-1 /]],
    ['a total that is missing', [whole], [/^lacks group g: 1 exports, 5 rows$/]],
    [
      'an export that was counted twice',
      [whole, { ...total, exports: 2, rows: 10 }],
      [/^lacks group g: 1 /, /^shows group g: 2 exports, 10 rows$/],
    ],
    [
      'another file than the promoted one',
      [{ ...end, file: 'results/0' }, total],
      [/^lacks .*results\/1$/, /^shows .*results\/0$/],
    ],
    [
      'an export that was cancelled',
      [whole, total, { ...whole, pk: 'export#export-2' }],
      [/^shows export#export-2 /],
    ],
  ])('tells of %s', async (_, rows, lines) => {
    const { wrong } = await catalogueCheck(table(...rows), views);

    expect(wrong).toEqual(lines.map((line) => expect.stringMatching(line)));
  });
});
