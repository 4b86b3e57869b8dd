import { isFinal, type JobRow, type ReadJob } from '../job/job.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { Failure } from '../kernel/failure.ts';
import type { Json } from '../kernel/json.ts';
import { never } from '../kernel/never.ts';
import type { Bucket, Stored } from '../ports/bucket.ts';
import type { JobHead } from './define-job.ts';
import { newerRow } from './newer-row.ts';

/** A job as its callers see it; what a state doesn't have isn't there. */
export type JobView<Data> = JobHead & { readonly version: number } & (
    | { readonly status: 'queued' | 'cancelled' }
    | {
        readonly status: 'running';
        readonly progress: Json | undefined;
        readonly cancelRequestedAt: Instant | undefined;
      }
    | { readonly status: 'succeeded'; readonly data: Data; readonly result: Stored | undefined }
    | { readonly status: 'failed'; readonly failure: Failure }
    /** It has ended, and what was a person's is gone. */
    | {
        readonly status: 'erased';
        readonly was: 'succeeded' | 'failed' | 'cancelled';
        readonly at: Instant;
      }
  );

/** A job's result, or why there is none. */
export type Result =
  | (Stored & {
      readonly kind: 'ready';
      readonly url: string;
      /** Its bytes, piece by piece. */
      open(): AsyncIterable<Uint8Array>;
    })
  | { readonly kind: 'not-yet' | 'failed' | 'cancelled' | 'erased' | 'without-result' | 'missing' };

/** What callers may see of a row. */
export function jobView<Data>(read: ReadJob): JobView<Data> {
  const job = known(read);
  const head = {
    id: job.id,
    intentId: job.intentId,
    groupId: job.groupId,
    generation: job.generation,
    version: job.version,
  };
  if (job.erasedAt !== undefined && isFinal(job))
    return { ...head, status: 'erased', was: job.status, at: job.erasedAt };
  switch (job.status) {
    case 'queued':
    case 'cancelled':
      return { ...head, status: job.status };
    case 'running':
      return {
        ...head,
        status: 'running',
        progress: job.progress,
        cancelRequestedAt: job.cancelRequestedAt,
      };
    case 'succeeded':
      return { ...head, status: 'succeeded', data: dataOf(job) as Data, result: storedOf(job) };
    case 'failed':
      return { ...head, status: 'failed', failure: failureOf(job) };
    default:
      return never(job);
  }
}

/** The result of a job, as its row says now. */
export async function resultOf(
  read: ReadJob | undefined,
  bucket: Bucket,
  expiresIn: Duration,
): Promise<Result> {
  if (read === undefined) return { kind: 'missing' };
  const job = known(read);
  if (job.erasedAt !== undefined) return { kind: 'erased' };
  if (job.status === 'failed' || job.status === 'cancelled') return { kind: job.status };
  if (job.status !== 'succeeded') return { kind: 'not-yet' };
  const stored = storedOf(job);
  if (stored === undefined) return { kind: 'without-result' };
  const url = await bucket.url(stored.key, expiresIn);
  return { ...stored, kind: 'ready', url, open: () => bucket.open(stored.key) };
}

function known(read: ReadJob): JobRow {
  if (read.kind === 'job') return read.job;
  throw newerRow(read.schema);
}

type Succeeded = JobRow & { readonly status: 'succeeded' };

/** The data of a success is that of its event, which the row keeps. */
const dataOf = (job: Succeeded): Json | undefined =>
  job.events.findLast((event) => event.type === `${job.kind}.succeeded`)?.data;

function storedOf({ result }: Succeeded): Stored | undefined {
  if (result === undefined) return undefined;
  const { key, size, checksum, contentType } = result;
  return { key, size, checksum, contentType };
}

const failureOf = ({ failure }: JobRow & { readonly status: 'failed' }): Failure =>
  new Failure(failure.code, failure.message, { remedy: 'dead-letter', facts: failure.facts });
