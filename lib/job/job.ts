import type { Duration, GroupId, Instant, JobId } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import type { Facts } from '../kernel/failure.ts';
import type { Json } from '../kernel/json.ts';
import { schemaNumber } from '../kernel/settings.ts';
import type { Key, Row } from '../ports/store.ts';

/** A promoted result, as the row points at it. */
export interface ResultPointer {
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly checksum: string;
  readonly contentType: string;
}

/** Why a job failed, or an attempt of it. */
export interface FailureText {
  readonly code: string;
  readonly message: string;
  readonly facts: Facts;
}

interface Numbered {
  readonly schema: number;
  readonly id: JobId;
  readonly kind: string;
  /** ULID made with the row, so that a deleted and re-created job never looks like the old one. */
  readonly incarnation: string;
  /** Who may process the job; +1 at every granted claim, operator release, retry and forced cancel; never reset. */
  readonly generation: number;
  /** The state of the job; +1 at every visible change. */
  readonly version: number;
  readonly groupId: GroupId;
  readonly intentId: string;
  /** SHA-256 of the submitted input's canonical JSON; empty in an erased row. */
  readonly inputHash: string;
  /** The canonical JSON itself, up to 16 KB … */
  readonly input?: string;
  /** … or the key under which the bucket keeps it. */
  readonly inputKey?: string;
  /** What has been spent of each budget; they never pay for each other. */
  readonly failures: number;
  readonly takeovers: number;
  readonly releases: number;
  readonly firstTakeoverAt?: Instant;
  /** The last attempt; stays after its end, so that a lost reply is recognised. */
  readonly attemptId?: string;
  /** The last attempt's lease; stays after its end, since uploads may outlive it. */
  readonly leaseUntil?: Instant;
  readonly events: readonly StoredEvent[];
  readonly lastN: number;
  /** From here on `events` is whole. */
  readonly firstN: number;
  /** The last sequence number of each channel. */
  readonly sequences: { readonly commands: number; readonly events: number };
  /** Its first command was announced by its group's head. */
  readonly order?: 'submission';
  /** Equals `lastN` where the last write appended an event; absent otherwise. */
  readonly news?: number;
  /** Where the newest event stands in the time index. */
  readonly eventHour?: string;
  readonly eventAt?: string;
  readonly cancelRequestedAt?: Instant;
  readonly cancelBecause?: string;
  /** The last failure, of the job or of an attempt that was tried again. */
  readonly failure?: FailureText;
  /** When the job's input, result, failure and events were taken away; how it ended is kept. */
  readonly erasedAt?: Instant;
  readonly erasedBecause?: string;
  readonly changedAt: Instant;
  readonly sweepShard?: string;
  readonly sweepAt?: number;
  readonly sweeps?: number;
}

/** A job that somebody works on, or worked on when he fell silent. */
export type RunningJob = Numbered & {
  readonly status: 'running';
  readonly attemptId: string;
  readonly leaseUntil: Instant;
  readonly progress?: Json;
};

/** A job's row, in exactly one of its states. */
export type JobRow =
  | (Numbered & { readonly status: 'queued' | 'cancelled' })
  | RunningJob
  | (Numbered & { readonly status: 'succeeded'; readonly result?: ResultPointer })
  | (Numbered & { readonly status: 'failed'; readonly failure: FailureText });

/** The limits that a kind of job sets, as its row is judged by them. */
export interface Limits {
  readonly failures: number;
  readonly takeovers: number;
  readonly releases: number;
  readonly attempt: Duration;
}

/** Where the row of a job lives. */
export const keyOf = (id: JobId): Key => ({ pk: `job#${id}`, sk: 'job' });

/** Whether a row of the jobs table is a job's: the heads of groups lie beside them. */
export const isJob = (row: Row): boolean => row['sk'] === 'job';

/** A row as this release reads it; `newer` was written by a release that is being deployed. */
export type ReadJob =
  | { readonly kind: 'job'; readonly job: JobRow }
  | { readonly kind: 'newer'; readonly schema: number };

/** Reads a job from its row. */
export function jobOf(row: Row): ReadJob {
  const schema = Number(row['schema']);
  if (schema > schemaNumber) return { kind: 'newer', schema };
  return { kind: 'job', job: row as unknown as JobRow };
}

/** Whether nothing but an operator's retry of a failed job can change it. */
export const isFinal = (job: JobRow): job is FinalJob =>
  job.status === 'succeeded' || job.status === 'failed' || job.status === 'cancelled';

type FinalJob = JobRow & { readonly status: 'succeeded' | 'failed' | 'cancelled' };
