import type { Instant } from '../kernel/brand.ts';
import { canonical } from '../kernel/json.ts';
import { never } from '../kernel/never.ts';
import type { Row, Write } from '../ports/store.ts';
import { hasRoom } from './appended.ts';
import { changed } from './changed.ts';
import { erasure } from './erasure.ts';
import { asRead, versionIs } from './guards.ts';
import { isFinal, type JobRow, jobOf } from './job.ts';

/** What a caller or an operator asks of a job that he doesn't hold. */
export type Verb =
  | { readonly kind: 'cancel'; readonly force: boolean; readonly because: string | undefined }
  | { readonly kind: 'release' | 'retry'; readonly because: string | undefined }
  /** Takes what is a person's from a job that has ended. */
  | { readonly kind: 'erase'; readonly because: string };

/** What a verb comes to, decided from the row: a write, or an answer. */
export type VerbStep =
  | { readonly kind: 'write'; readonly write: Write; readonly means: 'changed' | 'requested' }
  | { readonly kind: 'already' | 'finished' | 'missing' }
  /** The last event's room is kept free, and nothing else is left. */
  | { readonly kind: 'no-room' }
  /** Somebody may still work on it. */
  | { readonly kind: 'unfinished'; readonly status: JobRow['status'] }
  | { readonly kind: 'newer'; readonly schema: number };

/** Decides a verb from the row as read; its write is refused when the row has moved since. */
export function verbStep(verb: Verb, row: Row | undefined, at: Instant): VerbStep {
  if (row === undefined) return { kind: 'missing' };
  const read = jobOf(row);
  if (read.kind === 'newer') return read;
  switch (verb.kind) {
    case 'cancel':
      return cancelled(verb, read.job, at);
    case 'release':
      return released(verb.because, read.job, at);
    case 'retry':
      return retried(verb.because, read.job, at);
    case 'erase':
      return erased(verb.because, read.job, at);
    default:
      return never(verb);
  }
}

/** Whether a row that refuses a verb's write shows that it has happened before: the reply was lost, and its event is there. */
export function hasHappened(write: Write, row: Row | undefined): boolean {
  const [event] = write.kind === 'update' ? (write.append?.['events'] ?? []) : [];
  const there = row?.['events'];
  if (event === undefined || !Array.isArray(there)) return false;
  const own = canonical(event);
  return there.some((other) => canonical(other) === own);
}

type Cancel = Verb & { readonly kind: 'cancel' };

function cancelled(verb: Cancel, job: JobRow, at: Instant): VerbStep {
  switch (job.status) {
    case 'succeeded':
    case 'failed':
      return { kind: 'finished' };
    case 'cancelled':
      return { kind: 'already' };
    case 'queued':
      return endedNow(verb, job, at);
    case 'running':
      if (verb.force) return endedNow(verb, job, at);
      return job.cancelRequestedAt === undefined ? requested(verb, job, at) : { kind: 'already' };
    default:
      return never(job);
  }
}

/** Ends the job at once; a running one's owner is fenced by the generation too. */
function endedNow({ because }: Cancel, job: JobRow, at: Instant): VerbStep {
  return {
    kind: 'write',
    means: 'changed',
    write: changed(job, {
      when: untouched(job),
      set: { status: 'cancelled' },
      remove: ['progress'],
      generations: job.status === 'running' ? 1 : 0,
      news: { channel: 'events', type: `${job.kind}.cancelled`, data: { because }, at },
      mark: job.generation > 0,
      at,
    }),
  };
}

/** Seen by the owner at his next call; his finished work is still kept. */
function requested({ because }: Cancel, job: JobRow, at: Instant): VerbStep {
  return {
    kind: 'write',
    means: 'requested',
    write: changed(job, {
      when: untouched(job),
      set: { cancelRequestedAt: at, ...(because === undefined ? {} : { cancelBecause: because }) },
      at,
    }),
  };
}

function released(because: string | undefined, job: JobRow, at: Instant): VerbStep {
  if (job.status === 'queued') return { kind: 'already' };
  if (job.status !== 'running') return { kind: 'finished' };
  return queuedAgain(job, { because, at, set: {}, remove: ['progress'] });
}

/** A failed job starts a new life: its budgets are whole again. Without its input it has none. */
function retried(because: string | undefined, job: JobRow, at: Instant): VerbStep {
  if (job.status === 'queued' || job.status === 'running') return { kind: 'already' };
  if (job.status !== 'failed' || job.erasedAt !== undefined) return { kind: 'finished' };
  return queuedAgain(job, {
    because,
    at,
    set: { failures: 0, takeovers: 0, releases: 0 },
    remove: ['firstTakeoverAt', 'failure', 'cancelRequestedAt', 'cancelBecause'],
  });
}

function erased(because: string, job: JobRow, at: Instant): VerbStep {
  if (!isFinal(job)) return { kind: 'unfinished', status: job.status };
  if (job.erasedAt !== undefined) return { kind: 'already' };
  return { kind: 'write', means: 'changed', write: erasure(job, because, at) };
}

interface Again {
  readonly because: string | undefined;
  readonly at: Instant;
  readonly set: Row;
  readonly remove: readonly string[];
}

function queuedAgain(job: JobRow, { because, at, set, remove }: Again): VerbStep {
  const data = { because };
  if (!hasRoom(job.events, data)) return { kind: 'no-room' };
  return {
    kind: 'write',
    means: 'changed',
    write: changed(job, {
      when: untouched(job),
      set: { status: 'queued', ...set },
      remove,
      generations: 1,
      news: { channel: 'commands', type: `${job.kind}.run`, data, at },
      mark: true,
      at,
    }),
  };
}

const untouched = (job: JobRow) => [...asRead(job), versionIs(job.version)];
