import type { Duration, Instant } from '../kernel/brand.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { between, later } from '../kernel/time.ts';
import type { Row, Write } from '../ports/store.ts';
import { changed } from './changed.ts';
import { ending, type Finished } from './ending.ts';
import {
  asRead,
  firstTakeoverBefore,
  generationIs,
  incarnationIs,
  leaseOverBefore,
  noCancelRequest,
  schemaIsKnown,
  statusIs,
  takeoversSpent,
  versionIs,
} from './guards.ts';
import { isFinal, type JobRow, jobOf, keyOf, type Limits, type RunningJob } from './job.ts';

/** A worker that asks for a job: which one, as whom, when, and until when at the longest. */
export interface Bid {
  readonly id: JobRow['id'];
  /** From the command; another one in the row means that the job was deleted and made anew. */
  readonly incarnation: string;
  /** Random, chosen before the write, so that a lost reply is recognised. */
  readonly attemptId: string;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly limits: Limits;
  /** Whether what a silent owner had finished is committed for it instead of done again. */
  readonly finish: boolean;
}

/** What a claim came to. */
export type Claim =
  | { readonly kind: 'granted'; readonly job: RunningJob; readonly takenOver?: Duration }
  /** An earlier ask was granted and its reply was lost. */
  | { readonly kind: 'mine'; readonly job: RunningJob }
  | { readonly kind: 'held'; readonly until: Instant }
  | {
      readonly kind: 'finished' | 'cancelled' | 'worn-out';
      readonly job: JobRow;
      readonly now: boolean;
    }
  /** This claim completed the job for an owner that had finished it and then fell silent. */
  | { readonly kind: 'finished-for'; readonly job: JobRow }
  | { readonly kind: 'gone' }
  | { readonly kind: 'newer'; readonly schema: number }
  | { readonly kind: 'unknown' };

/** A write, and what it means when it is committed. */
export interface Ask {
  readonly kind: 'write';
  readonly write: Write;
  readonly means: 'granted' | 'cancelled' | 'worn-out' | 'finished-for';
  readonly takenOver?: Duration;
}

/** What to write next; or to look first for what the silent owner of this row had finished; or the answer. */
export type ClaimStep =
  | Ask
  | { readonly kind: 'look'; readonly job: RunningJob }
  | { readonly kind: 'answer'; readonly claim: Claim };

/** What a committed ask means. */
export function claimed(step: Ask, row: Row | undefined): Claim {
  const read = row === undefined ? undefined : jobOf(row);
  if (read?.kind !== 'job') return { kind: 'unknown' };
  const { job } = read;
  if (step.means === 'finished-for') return { kind: step.means, job };
  if (step.means !== 'granted') return { kind: step.means, job, now: true };
  if (job.status !== 'running') return { kind: 'unknown' };
  const { takenOver } = step;
  return { kind: 'granted', job, ...(takenOver === undefined ? {} : { takenOver }) };
}

/** The first ask: a job that nobody has had yet. One write on the happy path, and no mark for the sweeper. */
export function firstAsk(bid: Bid): Ask {
  return {
    kind: 'write',
    means: 'granted',
    write: {
      table: tables.jobs,
      key: keyOf(bid.id),
      when: [
        incarnationIs(bid.incarnation),
        generationIs(0),
        statusIs('queued'),
        noCancelRequest,
        schemaIsKnown,
      ],
      kind: 'update',
      set: granted(bid),
      add: { generation: 1, version: 1 },
      remove: ['progress', 'news'],
    },
  };
}

/** What follows from the row that refused an ask: another ask, guarded on what was just seen, or the answer. */
export function nextAsk(bid: Bid, old: Row | undefined): ClaimStep {
  if (old === undefined) return answer({ kind: 'gone' });
  const read = jobOf(old);
  if (read.kind === 'newer') return answer(read);
  const { job } = read;
  if (job.incarnation !== bid.incarnation) return answer({ kind: 'gone' });
  if (job.status === 'running' && job.attemptId === bid.attemptId)
    return answer({ kind: 'mine', job });
  if (isFinal(job)) return answer(over(bid, job));
  return job.status === 'running' ? askOwner(bid, job) : askQueued(bid, job);
}

/** A job that is over; its last attempt's id is this bid's own where an earlier ask ended it and the reply was lost. */
function over(bid: Bid, job: JobRow): Claim {
  const now = job.attemptId === bid.attemptId;
  if (job.status === 'cancelled') return { kind: 'cancelled', job, now };
  return { kind: now ? 'worn-out' : 'finished', job, now };
}

function askQueued(bid: Bid, job: JobRow): Ask {
  if (job.cancelRequestedAt !== undefined) return cancelInstead(bid, job);
  return {
    kind: 'write',
    means: 'granted',
    write: changed(job, {
      when: [...asRead(job), noCancelRequest],
      set: granted(bid),
      remove: ['progress'],
      generations: 1,
      mark: job.generation > 0,
      at: bid.now,
    }),
  };
}

/** A running job may be taken over once its lease is over by more than two clocks can differ; who is right, the generation says. */
function askOwner(bid: Bid, job: RunningJob): ClaimStep {
  const free = later(job.leaseUntil, lengths.skew);
  if (free >= bid.now) return answer({ kind: 'held', until: free });
  return bid.finish ? { kind: 'look', job } : askSilent(bid, job);
}

/**
 * What follows from a look at what the silent owner of `job` had finished. Its completion comes before all else, also
 * where a cancellation was asked for or the job is worn out: it is the one that the owner itself would have sent, of its
 * own generation, and refused where anybody has claimed the job since.
 */
export function afterLook(bid: Bid, job: RunningJob, finished: Finished | undefined): Ask {
  if (finished === undefined) return askSilent(bid, job);
  const write = ending(job, finished, { at: bid.now, leavesOrphans: true });
  return { kind: 'write', means: 'finished-for', write };
}

function askSilent(bid: Bid, job: RunningJob): Ask {
  if (job.cancelRequestedAt !== undefined) return cancelInstead(bid, job);
  return isWornOut(bid, job) ? wornOut(bid, job) : takeover(bid, job);
}

function takeover(bid: Bid, job: RunningJob): Ask {
  return {
    kind: 'write',
    means: 'granted',
    takenOver: between(job.leaseUntil, bid.now),
    write: changed(job, {
      when: [...overdue(bid, job), noCancelRequest],
      set: {
        ...granted(bid),
        takeovers: job.takeovers + 1,
        firstTakeoverAt: job.firstTakeoverAt ?? bid.now,
      },
      remove: ['progress'],
      generations: 1,
      mark: true,
      at: bid.now,
    }),
  };
}

/** Owners fell silent too often, and not just in one bad hour. */
const isWornOut = (bid: Bid, job: RunningJob): boolean =>
  job.takeovers >= bid.limits.takeovers &&
  job.firstTakeoverAt !== undefined &&
  later(job.firstTakeoverAt, lengths.crashSpan) < bid.now;

function wornOut(bid: Bid, job: RunningJob): Ask {
  const failure = {
    code: 'crashed-too-often',
    message: `${job.takeovers} owners in a row fell silent, at most ${bid.limits.takeovers} may`,
    facts: { takeovers: job.takeovers, limit: bid.limits.takeovers },
  };
  return {
    kind: 'write',
    means: 'worn-out',
    write: changed(job, {
      when: [
        ...overdue(bid, job),
        versionIs(job.version),
        takeoversSpent(bid.limits.takeovers),
        firstTakeoverBefore((bid.now - lengths.crashSpan) as Instant),
      ],
      set: { status: 'failed', failure, attemptId: bid.attemptId },
      remove: ['progress'],
      generations: 1,
      news: { channel: 'events', type: `${job.kind}.failed`, data: failure, at: bid.now },
      mark: true,
      at: bid.now,
    }),
  };
}

/** A job whose cancellation was asked for, and whose owner can't answer any more, ends here instead of running again. */
function cancelInstead(bid: Bid, job: JobRow): Ask {
  return {
    kind: 'write',
    means: 'cancelled',
    write: changed(job, {
      when: [
        ...(job.status === 'running' ? overdue(bid, job) : asRead(job)),
        versionIs(job.version),
      ],
      set: { status: 'cancelled', attemptId: bid.attemptId },
      remove: ['progress'],
      news: {
        channel: 'events',
        type: `${job.kind}.cancelled`,
        data: { because: job.cancelBecause },
        at: bid.now,
      },
      mark: job.generation > 0,
      at: bid.now,
    }),
  };
}

const overdue = (bid: Bid, job: RunningJob) => [
  ...asRead(job),
  leaseOverBefore((bid.now - lengths.skew) as Instant),
];

const granted = (bid: Bid): Row => ({
  status: 'running',
  attemptId: bid.attemptId,
  leaseUntil: bid.leaseUntil,
  changedAt: bid.now,
});

const answer = (claim: Claim): ClaimStep => ({ kind: 'answer', claim });
