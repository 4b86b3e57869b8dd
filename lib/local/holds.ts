import { never } from '../kernel/never.ts';
import type { Condition, Row } from '../ports/store.ts';

/** Whether a condition holds for a row, as DynamoDB decides it: only values of one type compare, and a missing field never does. */
export function holds(condition: Condition, row: Row | undefined): boolean {
  switch (condition.kind) {
    case 'absent':
      return partOf(condition, row) === undefined;
    case 'present':
      return partOf(condition, row) !== undefined;
    case 'equals':
    case 'less':
    case 'greater':
      return compares(row?.[condition.field], condition);
    case 'any':
      return condition.of.some((all) => all.every((one) => holds(one, row)));
    default:
      return never(condition);
  }
}

const partOf = ({ field }: { readonly field?: string }, row: Row | undefined): unknown =>
  field === undefined ? row : row?.[field];

type Comparison = Extract<Condition, { readonly kind: 'equals' | 'less' | 'greater' }>;

function compares(found: Row[string], { kind, value }: Comparison): boolean {
  if (typeof value === 'string')
    return (
      typeof found === 'string' &&
      ordered(kind, Buffer.compare(Buffer.from(found), Buffer.from(value)))
    );
  if (typeof found !== 'number' && typeof found !== 'bigint') return false;
  return ordered(kind, Number(found > value) - Number(found < value));
}

function ordered(kind: Comparison['kind'], order: number): boolean {
  if (kind === 'equals') return order === 0;
  return kind === 'less' ? order < 0 : order > 0;
}
