import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { longestRow, malformed, type Reading, shown, tooLong } from './reading.ts';
import type { Row } from './row.ts';

/** A batch is full with so many rows or so many characters, whichever comes first. */
const full = { rows: 512, characters: 64 * 1024 } as const;

/**
 * The rows of RFC 4180 CSV with a header; lines end by CRLF or LF. A line that is empty is passed over, except where
 * there is one column and it is a row. A file that was cut between two rows can't be told from a whole one.
 *
 * @throws Failure `dataset-malformed`
 */
export async function* csvRows(
  texts: AsyncIterable<string>,
  reading: Reading,
): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  let characters = 0;
  for await (const cells of records(texts, reading)) {
    if (reading.columns === undefined) reading.columns = header(cells, reading);
    else if (!isBlank(cells, reading.columns)) rows.push(row(cells, reading.columns, reading));
    for (const cell of cells) characters += cell.length;
    if (rows.length < full.rows && characters < full.characters) continue;
    yield rows;
    rows = [];
    characters = 0;
  }
  yield rows;
}

async function* records(
  texts: AsyncIterable<string>,
  reading: Reading,
): AsyncGenerator<readonly string[]> {
  const parser = parse({
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true, // the width is checked by us, so that a failure can name the row
    max_record_size: longestRow,
  });
  try {
    yield* pipeline(Readable.from(texts), parser, () => {});
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    // Rows that were parsed before the broken one may still wait in the stream: the parser's own count is right.
    reading.rows = Math.max(reading.rows, parser.info.records - 1);
    throw thrown.code === 'CSV_MAX_RECORD_SIZE' ? tooLong(reading) : broken(reading, thrown);
  }
}

const broken = (reading: Reading, cause: CsvError): Error =>
  malformed(reading, `row ${reading.rows + 1} has ${sentence(cause.code)}`, cause);

function sentence(code: CsvError['code']): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote that is never closed';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'text behind a closing quote';
    case 'INVALID_OPENING_QUOTE':
      return 'a quote inside a cell that is not quoted';
    default:
      return `an error (${code})`;
  }
}

function header(cells: readonly string[], reading: Reading): readonly string[] {
  const twice = cells.find((cell, index) => cells.indexOf(cell) !== index);
  if (twice === undefined) return cells;
  throw malformed(reading, `its header names the column ${shown(twice)} twice`);
}

const isBlank = (cells: readonly string[], columns: readonly string[]): boolean =>
  cells.length === 1 && cells[0] === '' && columns.length > 1;

function row(cells: readonly string[], columns: readonly string[], reading: Reading): Row {
  if (cells.length !== columns.length)
    throw malformed(
      reading,
      `row ${reading.rows + 1} has ${cells.length} cells, its header has ${columns.length}`,
    );
  reading.rows += 1;
  return Object.fromEntries(columns.map((column, index) => [column, cells[index]]));
}
