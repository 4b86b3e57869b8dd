import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exporting } from './pieces.ts';

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(',', '"', '\n', '\r', '\r\n', ' ', 'a', '\uFEFF', '=', '😀'),
    maxLength: 8,
  }),
);
const size = fc.integer({ min: 1, max: 50 });
const names = fc.uniqueArray(cell, { minLength: 1, maxLength: 4 });

const table = names.chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.tuple(...columns.map(() => cell)), { minLength: 1, maxLength: 10 }),
  }),
);

/** A row as JSON text; an object literal would put columns that look like numbers first. */
const objectText = (columns: readonly string[], row: readonly unknown[]): string =>
  `{${columns.map((column, i) => `${JSON.stringify(column)}:${JSON.stringify(row[i])}`).join(',')}}`;

describe('CSV', () => {
  it('gives back every cell to a reader of RFC 4180, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ columns, rows }) => {
        const bytes = rows.map((row) => objectText(columns, row)).join('\n');

        const file = await exporting({ format: 'ndjson', bytes }, { columns });

        expect(parse(file.text, { record_delimiter: '\r\n' })).toEqual([columns, ...rows]);
      }),
    );
  });

  it('that was exported is exported again unchanged, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(table, size, async ({ columns, rows }, size) => {
        const bytes = rows.map((row) => objectText(columns, row)).join('\n');
        const first = await exporting({ format: 'ndjson', bytes }, { columns });

        const second = await exporting({ format: 'csv', bytes: first.text, size });

        expect(second).toEqual(first);
      }),
    );
  });
});

describe('NDJSON', () => {
  const row = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), {
    noNullPrototype: true,
  });

  it('gives back the rows of a JSON array, however it is spaced and wherever it is cut', async () => {
    const space = fc.constantFrom('', ' ', '\t', '\r\n  ');

    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1 }), space, size, async (rows, space, size) => {
        const texts = rows.map((each) => JSON.stringify(each, null, space && 2));
        const bytes = `${space}[${space}${texts.join(`${space},${space}`)}${space}]${space}`;
        const columns = [...new Set(rows.flatMap((each) => Object.keys(each)))];
        const all = JSON.stringify(Object.fromEntries(columns.map((column) => [column, null])));

        const file = await exporting(
          { format: 'json', bytes: bytes.replace('[', () => `[${all},`), size },
          { format: 'ndjson' },
        );

        const [, ...lines] = file.text.split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(rows)));
      }),
    );
  });

  it('keeps the value of every decimal number, whether JavaScript holds it or not', async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/);

    await fc.assert(
      fc.asyncProperty(digits, async (number) => {
        const { text } = await exporting(
          { format: 'ndjson', bytes: `{"n":${number}}` },
          { format: 'ndjson' },
        );

        const kept = text.slice('{"n":'.length, -'}\n'.length);
        expect(fraction(kept)).toEqual(fraction(number));
      }),
    );
  });
});

/** A decimal number as whole numerator and power of ten, in lowest terms. */
function fraction(text: string): [bigint, number] {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  let numerator = BigInt(whole + part);
  // `e-0` is no other power than `e0`.
  let exponent = Number(power) - part.length + 0;
  if (numerator === 0n) return [0n, 0];
  for (; numerator % 10n === 0n; exponent += 1) numerator /= 10n;
  return [numerator, exponent];
}
