import type { Commit, Row } from '../ports/store.ts';
import type { Ending } from './ending.ts';
import { type JobRow, jobOf, type RunningJob } from './job.ts';

/** The work belongs to somebody else now, or to nobody. `by` is the generation that the row has reached. */
export type Lost = {
  readonly kind: 'superseded' | 'cancelled' | 'done-by-other';
  readonly by: number;
};

/** What became of an attempt's write. */
export type Answer =
  | { readonly kind: 'committed' | 'already-mine'; readonly job: JobRow }
  | Lost
  /** Still mine, but somebody who may has changed the row: decide again from it. */
  | { readonly kind: 'moved'; readonly job: RunningJob }
  | { readonly kind: 'alongside-refused'; readonly index: number; readonly row: Row | undefined }
  | { readonly kind: 'unknown' };

/** Reads the store's answer to an attempt's write, the job's own row first; `wanted` is the state that the write asked for. */
export function answered(
  held: RunningJob,
  wanted: Ending['kind'] | 'running',
  commit: Commit,
): Answer {
  switch (commit.kind) {
    case 'unknown':
      return commit;
    case 'committed':
      return { kind: 'committed', job: commit.row === undefined ? held : rowOf(commit.row, held) };
    case 'refused':
      return commit.at === 0
        ? judged(held, wanted, commit.old)
        : { kind: 'alongside-refused', index: commit.at - 1, row: commit.old };
  }
}

function judged(
  held: RunningJob,
  wanted: Ending['kind'] | 'running',
  old: Row | undefined,
): Answer {
  const job = old === undefined ? undefined : rowOf(old, held);
  if (job === undefined || job.incarnation !== held.incarnation)
    return { kind: 'superseded', by: job?.generation ?? held.generation };
  if (isMine(held, job)) return mine(job, wanted);
  const by = job.generation;
  if (job.status === 'cancelled') return { kind: 'cancelled', by };
  return { kind: job.status === 'succeeded' ? 'done-by-other' : 'superseded', by };
}

/** This very attempt wrote the row last, or still holds it: only the generation and the attempt's own id say so. */
const isMine = (held: RunningJob, job: JobRow): boolean =>
  job.generation === held.generation && job.attemptId === held.attemptId;

/** Another end of its own than the success that is there was never sent: a claim committed that for it. */
function mine(job: JobRow, wanted: Ending['kind'] | 'running'): Answer {
  if (job.status === 'running') return { kind: 'moved', job };
  if (job.status === 'cancelled' && wanted !== 'cancelled')
    return { kind: 'cancelled', by: job.generation };
  if (job.status === 'succeeded' && wanted !== 'succeeded' && wanted !== 'running')
    return { kind: 'done-by-other', by: job.generation };
  if (job.status === 'queued' && wanted !== 'queued')
    return { kind: 'superseded', by: job.generation };
  return { kind: 'already-mine', job };
}

/** A newer release's row is never in the way of an attempt that this release holds: it can't have been claimed by it. */
function rowOf(row: Row, held: RunningJob): JobRow {
  const read = jobOf(row);
  return read.kind === 'job' ? read.job : held;
}
