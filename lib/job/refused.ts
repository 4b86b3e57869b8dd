import type { Instant, JobId } from '../kernel/brand.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Write } from '../ports/store.ts';
import type { Lost } from './answer.ts';
import type { RunningJob } from './job.ts';

/** A write that the fence refused: what it was about to do, and when. */
export interface Refusal {
  readonly what: string;
  readonly lost: Lost;
  readonly at: Instant;
}

/** Under which key all refused writes of a job are kept. */
export const refusalsOf = (id: JobId): string => `refused#${id}`;

/**
 * Keeps a refused write beside the job's row, never on it: what a stale attempt was about to do, and which generation won.
 * Attempts' ids are ULIDs, so each attempt has one such row, in the order in which they were claimed.
 */
export const keptRefusal = (held: RunningJob, { what, lost, at }: Refusal): Write => ({
  table: tables.care,
  key: { pk: refusalsOf(held.id), sk: held.attemptId },
  when: [],
  kind: 'put',
  fields: {
    at,
    what,
    answer: lost.kind,
    incarnation: held.incarnation,
    generation: held.generation,
    attemptId: held.attemptId,
    by: lost.by,
    ttl: timeToLive(at, lengths.inboxMemory),
  },
});
