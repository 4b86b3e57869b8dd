import { isAcknowledged, type Outcome } from '../kernel/outcome.ts';

/** A record's place in its shard or topic-partition. */
export interface Placed {
  /** Unique in the event: the same offset may stand in two partitions. */
  readonly shard: string;
}

/**
 * Where each shard goes on: its first record, in the order of the event, that isn't acknowledged; a shard that is done
 * has none. Places are compared by order and never by number, since offsets have gaps.
 */
export function checkpoint<R extends Placed>(
  records: readonly R[],
  verdicts: readonly (Outcome | undefined)[],
): readonly R[] {
  const first = new Map<string, R>();
  records.forEach((record, i) => {
    const verdict = verdicts[i];
    const isDone = verdict !== undefined && isAcknowledged(verdict);
    if (!isDone && !first.has(record.shard)) first.set(record.shard, record);
  });
  return [...first.values()];
}
