import { csvRows } from './csv-rows.ts';
import type { Dataset, DatasetFormat } from './datasets.ts';
import { decodedText } from './decoded-text.ts';
import { jsonRows } from './json-rows.ts';
import { ndjsonRows } from './ndjson-rows.ts';
import type { Reading } from './reading.ts';
import type { Row } from './row.ts';
import { unzipped } from './unzipped.ts';

const readers: Readonly<
  Record<
    DatasetFormat,
    (texts: AsyncIterable<string>, reading: Reading) => AsyncIterable<readonly Row[]>
  >
> = { json: jsonRows, ndjson: ndjsonRows, csv: csvRows };

/**
 * The rows of a dataset in batches of bounded size, which may be empty; what isn't asked for isn't read.
 *
 * @throws Failure `dataset-malformed`, which tells the row
 */
export function rows(
  { format, gzip }: Dataset,
  bytes: AsyncIterable<Uint8Array>,
  reading: Reading,
): AsyncIterable<readonly Row[]> {
  const plain = gzip ? unzipped(bytes, reading) : bytes;
  return readers[format](decodedText(plain, reading), reading);
}
