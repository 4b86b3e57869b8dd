/** Rows of texts as lines, every column as wide as its widest text, two spaces between. */
export function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [columns.map((name) => name.toUpperCase()), ...rows];
  const widths = columns.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  return all.map((row) =>
    row
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
