import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { longestRow } from '../../../functions/export/reading.ts';
import { exporting, type Given, vega } from './pieces.ts';

const latin1 = Buffer.from('{"a":"\xe4"}\n', 'latin1');

const table: [string, Given, string][] = [
  [
    'text in JSON',
    { format: 'json', bytes: 'hello' },
    'not json: "[" of an array of objects was expected, got "hello" (0',
  ],
  [
    'nothing in JSON',
    { format: 'json', bytes: '' },
    'it ends where "[" of an array of objects was expected (0',
  ],
  [
    'an object',
    { format: 'json', bytes: '{"a":[]}' },
    '"[" of an array of objects was expected, got "{\\"a\\":[]}" (0',
  ],
  ['numbers', { format: 'json', bytes: '[1, 2]' }, 'an object or "]" was expected, got "1, 2]" (0'],
  [
    'an object among others',
    { format: 'json', bytes: '[{}, 2]' },
    'an object was expected behind row 1, got "2]" (1',
  ],
  [
    'a comma too many',
    { format: 'json', bytes: '[{},]' },
    'an object was expected behind row 1, got "]" (1',
  ],
  [
    'a comma too few',
    { format: 'json', bytes: '[{}{}]' },
    '"," or "]" was expected behind row 1, got "{}]" (1',
  ],
  [
    'a second array',
    { format: 'json', bytes: '[{}][]' },
    'nothing more was expected behind row 1, got "[]" (1',
  ],
  [
    'a row that is not JSON',
    { format: 'json', bytes: '[{},{a:1}]' },
    'row 2 is not JSON, got "{a:1}" (1',
  ],
  ['brackets that cross', { format: 'json', bytes: '[{"a":[}]}]' }, 'row 1 is not JSON'],
  [
    'an array cut behind a row',
    { format: 'json', bytes: '[{},{}' },
    'it ends where "," or "]" was expected (2',
  ],
  ['an array cut in a row', { format: 'json', bytes: '[{},{"a":"}' }, 'it ends inside row 2 (1'],
  [
    'an array in NDJSON',
    { format: 'ndjson', bytes: '[{}]' },
    'row 1 is not an object, got "[{}]" (0',
  ],
  [
    'a huge number in NDJSON',
    { format: 'ndjson', bytes: '{}\n123456789012345678901' },
    'row 2 is not an object',
  ],
  ['a line cut', { format: 'ndjson', bytes: '{}\n\n{"a"' }, 'row 2 is not JSON, got "{\\"a\\"" (1'],
  [
    'an open quote',
    { format: 'csv', bytes: 'a,b\n1,2\n1,"2\n3,4\n' },
    'row 2 has a quote that is never closed (1',
  ],
  [
    'text behind a quote',
    { format: 'csv', bytes: 'a,b\n1,"2"x\n' },
    'row 1 has text behind a closing quote (0',
  ],
  [
    'a quote inside a cell',
    { format: 'csv', bytes: 'a,b\n1,2\n1,2"\n' },
    'row 2 has a quote inside a cell that is not quoted (1',
  ],
  [
    'a cell too few',
    { format: 'csv', bytes: 'a,b\n1,2\n1\n' },
    'row 2 has 1 cells, its header has 2 (1',
  ],
  [
    'a cell too many',
    { format: 'csv', bytes: 'a,b\n1,2,3\n' },
    'row 1 has 3 cells, its header has 2 (0',
  ],
  [
    'a column twice',
    { format: 'csv', bytes: 'a,b,a\n1,2,3\n' },
    'its header names the column "a" twice (0',
  ],
  ['Latin-1', { format: 'ndjson', bytes: latin1 }, 'it holds bytes that are not UTF-8 (0'],
  [
    'a character cut at the end',
    { format: 'csv', bytes: Buffer.from('a\nä').subarray(0, 3) },
    'it holds bytes that are not UTF-8',
  ],
  ['text in gzip', { format: 'csv', gzip: true, bytes: 'a,b\n' }, 'its gzip is broken or cut (0'],
  ['nothing in gzip', { format: 'csv', gzip: true, bytes: '' }, 'its gzip is broken or cut (0'],
  [
    'gzip cut',
    { format: 'ndjson', gzip: true, bytes: gzipSync('{}\n{}\n').subarray(0, 20) },
    'its gzip is broken or cut',
  ],
  [
    'an endless object',
    { format: 'json', bytes: `[{},{"a":"${'x'.repeat(2 * longestRow)}` },
    `row 2 is longer than ${longestRow} characters (1`,
  ],
  [
    'an endless line',
    { format: 'ndjson', bytes: `{}\n${'x'.repeat(2 * longestRow)}` },
    `row 2 is longer than ${longestRow} characters (1`,
  ],
  [
    'an endless cell',
    { format: 'csv', bytes: `a\n1\n"${'x'.repeat(2 * longestRow)}` },
    `row 2 is longer than ${longestRow} characters (1`,
  ],
  [
    'half a character',
    { format: 'json', bytes: '[{"a":"\\ud800"}]' },
    'a text in it holds half of a surrogate pair',
  ],
];

describe('a dataset that is not what it says', () => {
  it.each(table)('fails for good with %s, and says where', async (_what, given, sentence) => {
    await expect(exporting(given)).rejects.toMatchObject({
      code: 'dataset-malformed',
      remedy: 'dead-letter',
      message: expect.stringContaining(sentence),
      facts: { dataset: 'd' },
    });
  });

  it('fails wherever a real file is cut, with the rows that were whole', async () => {
    const cars = await readFile(`${vega}cars.json`);

    for (let length = 0; length < cars.length - 1; length += 997) {
      const cut = exporting({ format: 'json', bytes: cars.subarray(0, length) });

      await expect(cut).rejects.toMatchObject({
        code: 'dataset-malformed',
        facts: { rows: rowsIn(cars.subarray(0, length).toString()) },
      });
    }
  });

  it.each(['us-10m.json', 'volcano.json', 'earthquakes.json'])(
    'fails for %s, an object, without reading on',
    async (name) => {
      const bytes = await readFile(vega + name);
      let pieces = 0;
      async function* counted() {
        for (let at = 0; at < bytes.length; at += 1_024) {
          pieces += 1;
          yield bytes.subarray(at, at + 1_024);
        }
      }

      await expect(exporting({ format: 'json', bytes: counted() })).rejects.toThrow('not json');
      expect(pieces).toBe(1);
    },
  );
});

/** How many flat objects end in a text without braces inside strings. */
const rowsIn = (text: string): number => text.split('}').length - 1;
