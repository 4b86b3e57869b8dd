import { type JobRow, jobOf, keyOf } from '../job/job.ts';
import { type Envelope, enveloped } from '../kernel/envelope.ts';
import type { Gap } from '../kernel/happening.ts';
import { tables } from '../kernel/settings.ts';
import type { Store } from '../ports/store.ts';

/** The events of a job that consumers see, as its row keeps them. */
export function rowEvents(job: JobRow): readonly Envelope[] {
  const result = 'result' in job ? job.result : undefined;
  return job.events
    .filter(({ channel }) => channel === 'events')
    .map((event) => enveloped({ ...job, result }, event));
}

/** The events that a projection misses, or why the job's row doesn't give them. */
export type Missing =
  | { readonly kind: 'found'; readonly events: readonly Envelope[] }
  | { readonly kind: 'lost'; readonly why: 'gone' | 're-created' | 'newer-release' | 'trimmed' };

/** Reads what is missing from the job's row as it is now. */
export async function missingEvents(store: Store, gap: Gap): Promise<Missing> {
  const row = await store.read(tables.jobs, keyOf(gap.job));
  if (row === undefined) return { kind: 'lost', why: 'gone' };
  const read = jobOf(row);
  if (read.kind === 'newer') return { kind: 'lost', why: 'newer-release' };
  if (read.job.incarnation !== gap.incarnation) return { kind: 'lost', why: 're-created' };
  const events = rowEvents(read.job).filter(
    ({ sequence }) => sequence >= gap.from && sequence <= gap.to,
  );
  if (events.length === gap.to - gap.from + 1) return { kind: 'found', events };
  return { kind: 'lost', why: 'trimmed' };
}
