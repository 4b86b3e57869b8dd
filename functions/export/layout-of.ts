import { permanent } from 'lanekeeper';
import type { ExportInput } from './input.ts';
import { csvLayout, type Layout, ndjsonLayout } from './layout.ts';
import type { Reading } from './reading.ts';

const layouts = { csv: csvLayout, ndjson: ndjsonLayout } as const;

/**
 * How the rows of a dataset are written: by the columns that were asked for, or else those that it has.
 *
 * @throws Failure `column-unknown` for a column, asked for or compared, that the dataset doesn't have
 */
export function layoutOf(input: ExportInput, { dataset, columns: has }: Reading): Layout {
  const wanted = [...(input.columns ?? []), ...input.where.map(({ column }) => column)];
  const unknown = has && wanted.find((column) => !has.includes(column));
  if (unknown === undefined) return layouts[input.format](input.columns ?? has ?? []);
  throw permanent(
    'column-unknown',
    `the dataset ${JSON.stringify(dataset)} has no column ${JSON.stringify(unknown)}; it has ${named(has ?? [])}`,
    { facts: { dataset, column: unknown } },
  );
}

/** The first columns, since a failure has to fit into a job's row. */
function named(columns: readonly string[]): string {
  const first = columns.slice(0, 30).map((column) => JSON.stringify(column.slice(0, 60)));
  const more = columns.length - first.length;
  return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
