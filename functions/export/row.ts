/** A row as its dataset gives it: what is in each column, by name. */
export type Row = Readonly<Record<string, unknown>>;

/** What is in a column; undefined where the row has no such column. */
export const cell = (row: Row, column: string): unknown =>
  Object.hasOwn(row, column) ? row[column] : undefined;

/** A cell as text: nothing for null, JSON for what is nested, its own digits for a number that JavaScript can't hold. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The number that a cell is, or that its text is written like; undefined otherwise. */
export function cellNumber(value: unknown): number | undefined {
  const text = cellText(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? undefined : number;
}
