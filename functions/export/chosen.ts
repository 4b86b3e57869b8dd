import type { RowCondition } from './input.ts';
import { cell, cellNumber, cellText, type Row } from './row.ts';

type Value = RowCondition['value'];

/** Whether a row meets every condition. */
export const chosen = (row: Row, where: readonly RowCondition[]): boolean =>
  where.every((condition) => holds(cell(row, condition.column), condition));

function holds(own: unknown, { is, value }: RowCondition): boolean {
  switch (is) {
    case 'equals':
      return equal(own, value);
    case 'not-equals':
      return !equal(own, value);
    case 'less':
      return order(own, value) < 0;
    case 'greater':
      return order(own, value) > 0;
    case 'contains':
      return cellText(own).includes(value);
  }
}

function equal(own: unknown, value: Value): boolean {
  if (typeof value === 'number') return cellNumber(own) === value;
  return cellText(own) === cellText(value);
}

/** Below 0 for less, above 0 for greater, NaN where the two don't compare. */
function order(own: unknown, value: string | number): number {
  if (typeof value === 'number') return (cellNumber(own) ?? Number.NaN) - value;
  const text = cellText(own);
  if (text === '') return Number.NaN;
  return Number(text > value) - Number(text < value);
}
