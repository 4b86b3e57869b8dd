import { stringify } from 'csv-stringify/sync';
import { cell, cellText, type Row } from './row.ts';

/** How rows are written: text that opens the file, and text for a batch of rows. */
export interface Layout {
  readonly columns: readonly string[];
  readonly head: string;
  text(rows: readonly Row[]): string;
}

/**
 * RFC 4180: a header, CRLF, quotes only where they are needed. Null is an empty cell, what is nested is JSON text, and
 * nothing is escaped for spreadsheets: a cell that begins with `=` stays as it is.
 */
export function csvLayout(columns: readonly string[]): Layout {
  const lines = (records: readonly (readonly string[])[]): string =>
    stringify([...records], {
      record_delimiter: 'windows',
      quoted_empty: columns.length === 1, // else the line would be empty, which readers pass over
      quoted_match: /[\r\n]|^\uFEFF/, // also what isn't this file's line end, and what would pass for a byte order mark
    });
  return {
    columns,
    head: columns.length === 0 ? '' : lines([columns]),
    text: (rows) => lines(rows.map((row) => columns.map((column) => cellText(cell(row, column))))),
  };
}

/** One JSON object per line; a column that a row doesn't have is left out of its line. */
export function ndjsonLayout(columns: readonly string[]): Layout {
  const keys = columns.map((column) => ({ column, key: JSON.stringify(column) }));
  const line = (row: Row): string => {
    const fields = keys.flatMap(({ column, key }) => {
      const value = cell(row, column);
      return value === undefined ? [] : [`${key}:${JSON.stringify(value)}`];
    });
    return `{${fields.join(',')}}\n`;
  };
  return { columns, head: '', text: (rows) => rows.map(line).join('') };
}
