import { permanent } from '../kernel/failure.ts';
import type { Gap } from '../kernel/happening.ts';
import type { Key } from '../ports/store.ts';
import type { EventFrom, Source } from './event-source.ts';
import {
  named,
  type Projecting,
  type Projection,
  projection,
  type Remedy,
  type Snapshot,
} from './projection.ts';

/** What an event adds to a sum, which many jobs may share. */
export interface DeltaChange {
  readonly kind: 'add';
  readonly key: Key;
  /** To numbers; a missing field counts as 0. */
  readonly add: Readonly<Record<string, number>>;
}

/**
 * When events of a job are missing. On FIFO waiting can't help: what is missing comes behind.
 *
 * `fill` reads them from the job's own row, which the consumer must be allowed to. A function resyncs: it answers what
 * they did as writes, and up to which event. `{ fill }` does so only where the row no longer has them. `block` holds the group.
 */
export type OnGap =
  | 'fill'
  | 'block'
  | ((gap: Gap) => Promise<Snapshot>)
  | {
      /** Asked where the row no longer has what is missing. */
      readonly fill: (gap: Gap) => Promise<Snapshot>;
    };

/** What a delta has beside its changes. */
export interface DeltaSettings {
  /** What becomes of an event before which others are missing. */
  readonly onGap: OnGap;
  /** How the table's keys are made; its cursors need the same. @default 'pk-and-sk', as inbox entries have */
  readonly keys?: 'pk' | 'pk-and-sk';
}

/**
 * Sums to which many jobs may add: each event once, in order per job, by a cursor row per job in the same transaction, which
 * is kept for good. One transaction of two rows per event, one write for `skip`.
 *
 * @throws Failure `setting-invalid` or `job-not-defined`
 * @example
 * export const totals = deltaProjection({
 *   of: exportJob,
 *   name: 'totals',
 *   table: 'totals',
 *   change: (event) => ({ kind: 'add', key: { pk: event.job.groupId, sk: 'sum' }, add: { [event.type]: 1 } }),
 *   onGap: 'fill',
 * });
 */
export function deltaProjection<const S extends Source>(
  settings: Projecting<S, DeltaChange> & DeltaSettings,
): Projection<EventFrom<S>> {
  const { keys = 'pk-and-sk', onGap } = settings;
  if (keys !== 'pk' && keys !== 'pk-and-sk')
    throw permanent('setting-invalid', `keys is 'pk' or 'pk-and-sk', got ${JSON.stringify(keys)}`);
  const sorted = keys === 'pk-and-sk';
  return projection({ ...named(settings), kind: 'delta', remedy: remedyOf(onGap), sorted });
}

function remedyOf(onGap: OnGap): Remedy {
  if (onGap === 'fill' || onGap === 'block') return { fills: onGap === 'fill', resync: undefined };
  if (typeof onGap === 'function') return { fills: false, resync: onGap };
  if (typeof onGap?.fill === 'function') return { fills: true, resync: onGap.fill };
  throw permanent(
    'setting-invalid',
    `onGap is 'fill', 'block', a function, or { fill: a function }, got ${typeof onGap}`,
  );
}
