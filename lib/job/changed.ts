import type { Instant } from '../kernel/brand.ts';
import { attention, lengths, tables } from '../kernel/settings.ts';
import { later } from '../kernel/time.ts';
import type { Condition, Row, Write } from '../ports/store.ts';
import { appended, type News } from './appended.ts';
import { type JobRow, keyOf } from './job.ts';

/** One visible change of a job's row. */
export interface Change {
  readonly when: readonly Condition[];
  readonly set: Row;
  readonly remove?: readonly string[];
  /** How much the generation rises. @default 0 */
  readonly generations?: 0 | 1;
  /** The event that this change is; without one the write takes the doorbell away. */
  readonly news?: News;
  /** Some candidate can no longer be promoted after this write: the sweeper shall look. @default false */
  readonly mark?: boolean;
  readonly at: Instant;
}

/** A visible change as one guarded update: version + 1, the event with it, the relay's doorbell and the sweeper's mark. */
export function changed(row: JobRow, change: Change): Write {
  const { generations = 0, news } = change;
  const event =
    news === undefined
      ? undefined
      : appended(
          { ...row, generation: row.generation + generations, version: row.version + 1 },
          news,
        );
  return {
    table: tables.jobs,
    key: keyOf(row.id),
    when: change.when,
    kind: 'update',
    set: {
      ...change.set,
      ...(event?.set ?? {}),
      ...(change.mark ? marked(row) : {}),
      changedAt: change.at,
    },
    add: { version: 1, ...(generations === 0 ? {} : { generation: generations }) },
    remove: [...(change.remove ?? []), ...(event === undefined ? ['news'] : [])],
    ...(event === undefined ? {} : { append: event.append }),
  };
}

/** The fields by which a row stands in the attention index until its candidates are swept. */
function marked(row: JobRow): Row {
  return {
    sweepShard: shardOf(row.id),
    sweepAt: later(row.leaseUntil ?? row.changedAt, lengths.longestInvocation),
    sweeps: 0,
  };
}

/** Spreads marked rows over the shards of the attention index, by the id's own hash digits. */
const shardOf = (id: string): string =>
  String(Number.parseInt(id.slice(-4), 16) % attention.shards);
