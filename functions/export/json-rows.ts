import { JsonArray } from './json-array.ts';
import { objectRow } from './object-row.ts';
import type { Reading } from './reading.ts';
import type { Row } from './row.ts';

/** The rows of a JSON array of objects, piece by piece. @throws Failure `dataset-malformed` */
export async function* jsonRows(
  texts: AsyncIterable<string>,
  reading: Reading,
): AsyncGenerator<readonly Row[]> {
  const array = new JsonArray(reading);
  for await (const text of texts) {
    const rows: Row[] = [];
    for (const object of array.take(text)) rows.push(objectRow(object, reading));
    yield rows;
  }
  array.end();
}
