import { exactJson } from './exact-json.ts';
import { malformed, type Reading, shown } from './reading.ts';
import type { Row } from './row.ts';

/**
 * The next row, from the text of a JSON object. Of a key that stands in it twice, the last one counts, as in
 * `JSON.parse`.
 *
 * @throws Failure `dataset-malformed` for anything else
 */
export function objectRow(text: string, reading: Reading): Row {
  const row = parsed(text, reading);
  if (!isRow(row))
    throw malformed(reading, `row ${reading.rows + 1} is not an object, got ${shown(text)}`);
  reading.rows += 1;
  reading.columns ??= Object.keys(row);
  return row;
}

function parsed(text: string, reading: Reading): unknown {
  try {
    return exactJson(text);
  } catch (cause) {
    throw malformed(reading, `row ${reading.rows + 1} is not JSON, got ${shown(text)}`, cause);
  }
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
