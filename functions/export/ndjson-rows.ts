import { objectRow } from './object-row.ts';
import { longestRow, type Reading, tooLong } from './reading.ts';
import type { Row } from './row.ts';

/** The rows of NDJSON, one object per line; empty lines are passed over. @throws Failure `dataset-malformed` */
export async function* ndjsonRows(
  texts: AsyncIterable<string>,
  reading: Reading,
): AsyncGenerator<readonly Row[]> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestRow) throw tooLong(reading);
    yield rowsOf(lines, reading);
  }
  yield rowsOf([rest], reading);
}

const rowsOf = (lines: readonly string[], reading: Reading): readonly Row[] =>
  lines.filter((line) => line.trim() !== '').map((line) => objectRow(line, reading));
