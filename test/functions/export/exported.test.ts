import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { exported } from '../../../functions/export/exported.ts';
import { longestRow } from '../../../functions/export/reading.ts';
import { exporting, input, pieces, vega, whole } from './pieces.ts';

const never = new AbortController().signal;
const json = async (name: string) => JSON.parse(await readFile(vega + name, 'utf8'));
const text = (value: unknown) => (value === null ? '' : String(value));

describe('an export of real data', () => {
  it.each([
    ['movies.json', 3_201, 16],
    ['cars.json', 406, 9],
  ])('writes every row and column of %s as CSV', async (name, rows, columns) => {
    const source: Record<string, unknown>[] = await json(name);

    const file = await exporting({ format: 'json', bytes: createReadStream(vega + name) });

    const [header, ...lines] = parse(file.text, { record_delimiter: '\r\n' });
    expect(file).toMatchObject({ rows, columns, leftOut: [] });
    expect(header).toEqual(Object.keys(source[0] ?? {}));
    expect(lines).toEqual(source.map((row) => Object.values(row).map(text)));
  });

  it('writes a CSV file of LF lines anew with CRLF and loses no character', async () => {
    const name = `${vega}seattle-weather.csv`;

    const file = await exporting({ format: 'csv', bytes: createReadStream(name) });

    expect(file).toMatchObject({ rows: 1_461, columns: 6 });
    expect(file.text.replaceAll('\r\n', '\n')).toBe(await readFile(name, 'utf8'));
  });

  it('keeps the rows and columns that were asked for, in the order asked for', async () => {
    const source: Record<string, unknown>[] = await json('cars.json');

    const file = await exporting(
      { format: 'json', bytes: createReadStream(`${vega}cars.json`) },
      {
        format: 'ndjson',
        columns: ['Origin', 'Name'],
        where: [
          { column: 'Cylinders', is: 'greater', value: 6 },
          { column: 'Name', is: 'contains', value: 'ford' },
        ],
      },
    );

    const wanted = source.filter(
      (car) => Number(car['Cylinders']) > 6 && String(car['Name']).includes('ford'),
    );
    const lines = file.text.split('\n').filter(Boolean);
    expect(lines).toEqual(wanted.map(({ Origin, Name }) => JSON.stringify({ Origin, Name })));
    expect(file).toMatchObject({ rows: wanted.length, columns: 2 });
  });

  it('holds less than 1 MB between what it read and what it wrote, over 200,000 rows', async () => {
    const ahead = { read: 0, rows: 0, most: 0 };
    async function* counted() {
      for await (const chunk of createReadStream(`${vega}flights-200k.json`)) {
        ahead.read += chunk.length;
        yield chunk;
      }
    }
    let readAtLastPiece = 0;
    const file = exported(
      input(),
      { format: 'json', gzip: false, bytes: counted() },
      { signal: never },
    );

    for await (const _ of file.bytes) {
      ahead.most = Math.max(ahead.most, ahead.read - readAtLastPiece);
      readAtLastPiece = ahead.read;
    }

    expect(file.tally().rows).toBe(200_000);
    expect(ahead.read).toBeGreaterThan(9_000_000);
    expect(ahead.most).toBeLessThan(1_000_000);
  });

  it('reads no further than a slow consumer asks, plain or packed', async () => {
    let read = 0;
    async function* counted() {
      for await (const chunk of createReadStream(`${vega}flights-200k.json`)) {
        read += chunk.length;
        yield chunk;
      }
    }
    const file = exported(
      input({ compress: true }),
      { format: 'json', gzip: false, bytes: counted() },
      { signal: never },
    );

    const bytes = file.bytes[Symbol.asyncIterator]();
    expect(read).toBe(0);
    await bytes.next();
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);

    expect(read).toBeLessThan(2_000_000);
    await bytes.return?.();
  });
});

describe('an export', () => {
  it('packs with gzip and reads what gzip packed', async () => {
    const file = exported(
      input({ compress: true }),
      { format: 'csv', gzip: true, bytes: pieces(gzipSync('a,b\r\n1,2\r\n'), 7) },
      { signal: never },
    );

    expect(gunzipSync(await whole(file.bytes)).toString()).toBe('a,b\r\n1,2\r\n');
  });

  it.each([
    ['a,b\r\n', 'csv', 2, 'a,b\r\n'],
    ['', 'csv', 0, ''],
    ['[]', 'json', 0, ''],
    [' [ ] \n', 'json', 0, ''],
    ['', 'ndjson', 0, ''],
    ['\n\n', 'ndjson', 0, ''],
  ] as const)(
    'of the empty dataset %j in %s completes with no rows',
    async (bytes, format, columns, wanted) => {
      expect(await exporting({ format, bytes })).toEqual({
        text: wanted,
        rows: 0,
        columns,
        leftOut: [],
      });
    },
  );

  it('of an empty dataset still has the header that was asked for', async () => {
    const file = await exporting({ format: 'json', bytes: '[]' }, { columns: ['a', 'b'] });

    expect(file).toMatchObject({ text: 'a,b\r\n', rows: 0, columns: 2 });
  });

  it.each([
    ['csv', '\uFEFFa,b\r\n1,ä\r\n'],
    ['csv', 'a,b\n1,ä\n'],
    ['csv', 'a,b\n1,ä'],
    ['csv', 'a,b\r\n\n1,ä\n\r\n'],
    ['csv', '\uFEFF"a","b"\n"1","ä"\n'],
    ['json', '\uFEFF[{"a":1,"b":"ä"}]'],
    ['json', '\r\n[\t{"a": 1,\n"b": "\\u00e4"} ]\n'],
    ['ndjson', '\uFEFF{"a":1,"b":"ä"}\r\n'],
    ['ndjson', '\n{"a":1,"b":"ä"}'],
  ] as const)('reads the same row from %s %j, wherever it is cut', async (format, bytes) => {
    for (const size of [1, 2, 3, 5, 1_000])
      expect((await exporting({ format, bytes, size })).text).toBe('a,b\r\n1,ä\r\n');
  });

  it('keeps the digits of numbers that JavaScript cannot hold', async () => {
    const bytes =
      '[{"n":9007199254740993,"d":0.12345678901234567890,"e":1e400,"in":[-12345678901234567890],"ok":1.50,"z":-0.0}]';

    const csv = await exporting({ format: 'json', bytes });
    const ndjson = await exporting({ format: 'json', bytes }, { format: 'ndjson' });

    expect(csv.text.split('\r\n')[1]).toBe(
      '9007199254740993,0.12345678901234567890,1e400,[-12345678901234567890],1.5,0',
    );
    expect(ndjson.text).toBe(
      '{"n":9007199254740993,"d":0.12345678901234567890,"e":1e400,"in":[-12345678901234567890],"ok":1.5,"z":0}\n',
    );
  });

  it('writes null and what is missing as an empty cell, what is nested as JSON, and escapes no formula', async () => {
    const bytes = '[{"a":null,"b":{"x":[1,"y"]},"c":true,"d":"=1+1"},{"b":"","c":false}]';

    const file = await exporting({ format: 'json', bytes });

    expect(file.text).toBe('a,b,c,d\r\n,"{""x"":[1,""y""]}",true,=1+1\r\n,,false,\r\n');
  });

  it('quotes the empty cell of a single column, whose line readers would pass over', async () => {
    const file = await exporting({ format: 'json', bytes: '[{"a":""},{"a":null},{"a":1}]' });

    expect(file.text).toBe('a\r\n""\r\n""\r\n1\r\n');
  });

  it('leaves what is missing out of NDJSON, and keeps null', async () => {
    const bytes = '{"a":null,"b":1}\n{"b":2}\n';

    expect((await exporting({ format: 'ndjson', bytes }, { format: 'ndjson' })).text).toBe(bytes);
  });

  it('names the columns that only later rows have', async () => {
    const file = await exporting({ format: 'ndjson', bytes: '{"a":1}\n{"a":2,"b":3}\n' });

    expect(file).toMatchObject({ text: 'a\r\n1\r\n2\r\n', columns: 1, leftOut: ['b'] });
  });

  it('takes no column from the prototype of objects', async () => {
    const bytes = '[{"constructor":1,"__proto__":2},{}]';

    expect((await exporting({ format: 'json', bytes })).text).toBe(
      'constructor,__proto__\r\n1,2\r\n,\r\n',
    );
  });

  it.each([
    [{ columns: ['b', 'x'] }, 'x'],
    [{ where: [{ column: 'y', is: 'equals', value: 1 }] }, 'y'],
  ] as const)('refuses %j, which names a column that the dataset lacks', async (parts, column) => {
    const asked = exporting(
      { format: 'csv', bytes: 'a,b\n1,2\n' },
      structuredClone(parts) as never,
    );

    await expect(asked).rejects.toMatchObject({
      code: 'column-unknown',
      remedy: 'dead-letter',
      message: `the dataset "d" has no column "${column}"; it has "a", "b"`,
    });
  });

  it('tells how many rows it has read, behind each batch, and waits', async () => {
    const told: number[] = [];
    const told1 = async (rows: number) => {
      await new Promise(setImmediate);
      told.push(rows);
    };

    await exporting(
      { format: 'json', bytes: createReadStream(`${vega}movies.json`) },
      { where: [{ column: 'Title', is: 'equals', value: 'no such film' }] },
      { told: told1 },
    );

    expect(told.length).toBeGreaterThan(10);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(3_201);
  });

  it('ends with what `told` throws, and closes the dataset', async () => {
    let closed = false;
    async function* bytes() {
      try {
        for (;;) yield new TextEncoder().encode('{"a":1}\n');
      } finally {
        closed = true;
      }
    }
    const lost = new Error('the work was lost');

    const export_ = exporting(
      { format: 'ndjson', bytes: bytes() },
      {},
      { told: () => Promise.reject(lost) },
    );

    await expect(export_).rejects.toBe(lost);
    expect(closed).toBe(true);
  });

  it('keeps a row of almost the longest length', async () => {
    const long = 'x'.repeat(longestRow - 100);

    const file = await exporting({ format: 'json', bytes: `[{"a":"${long}"}]` });

    expect(file.text).toBe(`a\r\n${long}\r\n`);
  });
});
