import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import type { Condition, Write } from '../ports/store.ts';
import { generationIs } from './guards.ts';
import { type JobRow, keyOf } from './job.ts';

// guard: sweep-at
const sweepAtIs = (value: number): Condition => ({
  kind: 'equals',
  field: 'sweepAt',
  value,
  why: 'sweep-at',
});

/**
 * What a sweep leaves of a job's mark: a second look a day later, for uploads that were in flight, and nothing after a
 * second look that left nothing. A mark that was set anew meanwhile stays.
 */
export function swept(
  row: JobRow,
  sweepAt: number,
  { again, left }: { readonly again: Instant; readonly left: number },
): Write {
  const sweeps = (row.sweeps ?? 0) + 1;
  const isOver = sweeps >= 2 && left === 0;
  return {
    table: tables.jobs,
    key: keyOf(row.id),
    when: [sweepAtIs(sweepAt), generationIs(row.generation)],
    kind: 'update',
    ...(isOver ? {} : { set: { sweepAt: again, sweeps } }),
    remove: isOver ? ['sweepShard', 'sweepAt', 'sweeps', 'news'] : ['news'],
  };
}
