import type { Instant } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { between, later, shorter, times, timeToLive } from '../kernel/time.ts';
import type { Row, Write } from '../ports/store.ts';
import type { OutboxRow } from './judged.ts';

/** Whether nobody works on a job that hasn't ended: queued, or held by a lease that is over, and unchanged for an hour. */
export function isIdle(row: Row, now: Instant): boolean {
  const changedAt = Number(row['changedAt']) as Instant;
  if (between(changedAt, now) < lengths.idleAfter) return false;
  if (row['status'] === 'queued') return true;
  // guard: idle-lease
  const free = later(Number(row['leaseUntil'] ?? 0) as Instant, lengths.skew);
  return row['status'] === 'running' && free < now;
}

/** The command that tells a worker to run the job now; undefined where it was taken out of the row. */
export const newestCommand = ({ events }: OutboxRow): StoredEvent | undefined =>
  events.findLast(({ channel }) => channel === 'commands');

/** Where the ledger remembers that a job's command was sent again. */
export const repeatKey = (jobId: string): { readonly pk: string; readonly sk: string } => ({
  pk: `repeat#${jobId}`,
  sk: 'command',
});

/**
 * Whether an idle job's command may be sent again: at once at first, and then ever more seldom while the job stays as it
 * is, since one that waits behind a parked group or a paused queue would have another message every hour.
 */
export function isRepeatDue(row: Row, note: Row | undefined, now: Instant): boolean {
  if (note === undefined) return true;
  const at = Number(note['at']) as Instant;
  // guard: repeat-backoff
  if (Number(row['changedAt']) > at) return true;
  const wait = times(lengths.idleAfter, 2 ** (Number(note['count']) - 1));
  return later(at, shorter(wait, lengths.longestRepeat)) <= now;
}

/** Remembers that a job's command was sent again. */
export function repeated(row: OutboxRow, note: Row | undefined, now: Instant): Write {
  const isSame = note !== undefined && Number(row['changedAt']) <= Number(note['at']);
  return {
    table: tables.ledger,
    key: repeatKey(row.id),
    when: [],
    kind: 'put',
    fields: {
      at: now,
      count: isSame ? Math.min(10, Number(note['count']) + 1) : 1,
      ttl: timeToLive(now, lengths.ledgerMemory),
    },
  };
}
