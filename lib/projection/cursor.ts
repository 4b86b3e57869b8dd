import type { Instant } from '../kernel/brand.ts';
import type { Key, Row, Write } from '../ports/store.ts';
import type { Head } from './head.ts';

/** Up to which event of one life of a job a projection has come: a row beside its sums. */
export interface Cursor extends Head {
  readonly projection: string;
  readonly table: string;
  /** Whether the keys of the table have a sort key. */
  readonly sorted: boolean;
}

/** Where a cursor is. */
export function cursorKey({ projection, job, incarnation, sorted }: Cursor): Key {
  const pk = `cursor#${projection}#${job}#${incarnation}`;
  return sorted ? { pk, sk: 'cursor' } : { pk };
}

/** The guarded put that moves a cursor on; what is committed with it happens once, and in order. */
export const cursorMoved = (
  cursor: Cursor,
  { from, to }: { readonly from: number; readonly to: number },
  at: Instant,
): Write => ({
  table: cursor.table,
  key: cursorKey(cursor),
  // guard: next
  when: [
    from === 0
      ? { kind: 'absent', why: 'next' }
      : { kind: 'equals', field: 'sequence', value: from, why: 'next' },
  ],
  kind: 'put',
  fields: {
    projection: cursor.projection,
    job: cursor.job,
    incarnation: cursor.incarnation,
    sequence: to,
    at,
  },
});

/** The sequence number that a cursor has come to; 0 before the first event. */
export const cursorAt = (row: Row | undefined): number => Number(row?.['sequence'] ?? 0);

/** What a cursor says of an event that isn't the next: it was there before, or some before it are missing. */
export type NotNext =
  | { readonly kind: 'repeated' }
  | { readonly kind: 'gap'; readonly from: number; readonly to: number };

/** Reads a refusal from the cursor that was in the way. */
export function notNext(old: Row | undefined, sequence: number): NotNext {
  const at = cursorAt(old);
  if (sequence <= at) return { kind: 'repeated' };
  return { kind: 'gap', from: at + 1, to: sequence - 1 };
}
