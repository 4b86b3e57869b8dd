import type { Instant } from '../kernel/brand.ts';
import type { Json } from '../kernel/json.ts';
import type { Write } from '../ports/store.ts';
import { changed } from './changed.ts';
import { fence, versionIs } from './guards.ts';
import type { FailureText, ResultPointer, RunningJob } from './job.ts';

/** How an attempt ends its job, or gives it back. */
export type Ending =
  | { readonly kind: 'succeeded'; readonly data: Json | undefined; readonly result?: ResultPointer }
  | { readonly kind: 'failed'; readonly failure: FailureText }
  | { readonly kind: 'cancelled' }
  /** Back to the queue; `spends` names the budget that pays for it, an outage is paid by none. */
  | {
      readonly kind: 'queued';
      readonly spends: 'failures' | 'releases' | 'nothing';
      readonly failure?: FailureText;
    };

/** What an attempt had finished, as its completion says it. */
export type Finished = Ending & { readonly kind: 'succeeded' };

/** When an attempt ends, and whether it began a candidate that this ending doesn't promote. */
export interface Circumstances {
  readonly at: Instant;
  readonly leavesOrphans: boolean;
}

/**
 * The one write that ends an attempt: fence and version, state, result pointer, failure text, event. A requested cancel
 * keeps finished work, and turns a failure or a release into `cancelled`.
 */
export function ending(
  held: RunningJob,
  asked: Ending,
  { at, leavesOrphans }: Circumstances,
): Write {
  const { set, remove, news } = parts(held, asEnded(held, asked));
  return changed(held, {
    when: [...fence(held), versionIs(held.version)],
    set,
    remove: ['progress', ...remove],
    mark: leavesOrphans,
    at,
    ...(news === undefined ? {} : { news: { channel: 'events', at, ...news } }),
  });
}

/** What an ending becomes when the job's cancellation was asked for. */
export const asEnded = (held: RunningJob, asked: Ending): Ending =>
  held.cancelRequestedAt !== undefined && asked.kind !== 'succeeded'
    ? { kind: 'cancelled' }
    : asked;

interface Parts {
  readonly set: Record<string, Json | undefined>;
  readonly remove: readonly string[];
  readonly news?: { readonly type: string; readonly data: Json | undefined };
}

function parts(held: RunningJob, end: Ending): Parts {
  switch (end.kind) {
    case 'succeeded':
      return {
        set: { status: 'succeeded', ...(end.result ? { result: { ...end.result } } : {}) },
        remove: ['failure'],
        news: { type: `${held.kind}.succeeded`, data: end.data },
      };
    case 'failed':
      return {
        set: { status: 'failed', failure: { ...end.failure } },
        remove: [],
        news: { type: `${held.kind}.failed`, data: { ...end.failure } },
      };
    case 'cancelled':
      return {
        set: { status: 'cancelled' },
        remove: [],
        news: { type: `${held.kind}.cancelled`, data: { because: held.cancelBecause } },
      };
    case 'queued':
      return {
        set: { status: 'queued', ...spent(held, end.spends), ...failed(end.failure) },
        remove: [],
      };
  }
}

const spent = (held: RunningJob, budget: 'failures' | 'releases' | 'nothing') =>
  budget === 'nothing' ? {} : { [budget]: held[budget] + 1 };

const failed = (failure: FailureText | undefined) =>
  failure === undefined ? {} : { failure: { ...failure } };
