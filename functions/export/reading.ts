import { type Failure, permanent } from 'lanekeeper';

/** How far the reading of one dataset has come: its readers count `rows` up, and failures tell it. */
export interface Reading {
  readonly dataset: string;
  readonly format: string;
  rows: number;
  /** Those of CSV's header, or of the first object; undefined until it was read. */
  columns: readonly string[] | undefined;
}

/** The longest text that is taken as one row, in UTF-16 units: a row is what must fit into memory, a dataset isn't. */
export const longestRow = 1024 * 1024;

/** The dataset isn't what it says it is; the sentence tells how many rows were right. */
export const malformed = (reading: Reading, what: string, cause?: unknown): Failure =>
  permanent(
    'dataset-malformed',
    `the dataset ${JSON.stringify(reading.dataset)} is not ${reading.format}: ${what} (${reading.rows} rows were read)`,
    { facts: { dataset: reading.dataset, rows: reading.rows }, cause },
  );

/** The row that is being read is longer than {@link longestRow}. */
export const tooLong = (reading: Reading): Failure =>
  malformed(reading, `row ${reading.rows + 1} is longer than ${longestRow} characters`);

/** The start of a text, as a sentence can show it. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
