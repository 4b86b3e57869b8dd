import type { Key, Row } from '../ports/store.ts';
import type { EventFrom, Source } from './event-source.ts';
import { named, type Projecting, type Projection, projection } from './projection.ts';

/** What an event makes of its job's row; `key` depends on the job alone, and is no other job's. */
export type SnapshotChange = { readonly key: Key } & (
  | { readonly kind: 'put'; readonly fields: Row }
  | { readonly kind: 'remove' }
);

/**
 * One row per job that never goes back in time: a row is written as a whole if (incarnation, version) is newer than what it
 * shows. `remove` leaves a tombstone for 36 days: a row with `_removed`. The fields `_job`, `_incarnation`, `_version` and
 * `_removed` are its own. One write per event.
 *
 * @throws Failure `setting-invalid` or `job-not-defined`
 * @example
 * export const shelf = snapshotProjection({
 *   of: exportJob,
 *   name: 'shelf',
 *   table: 'shelf',
 *   change: (event) => ({ kind: 'put', key: { pk: event.job.id, sk: 'row' }, fields: { type: event.type } }),
 * });
 */
export const snapshotProjection = <const S extends Source>(
  settings: Projecting<S, SnapshotChange>,
): Projection<EventFrom<S>> => projection({ ...named(settings), kind: 'snapshot' });
