import type { StoredEvent } from '../kernel/event.ts';
import type { Row } from '../ports/store.ts';

/** A job's row before and after one write, as the table's stream shows it. */
export interface Images {
  readonly old: Row | undefined;
  readonly new: Row | undefined;
}

/**
 * The events that a write appended: those behind the last of the old row, or all of them where there was no old row or
 * another incarnation. Whatever isn't a job's row with the doorbell set announces nothing: claims, renewals, notes,
 * removals and rows of other kinds.
 */
export function newEvents({ old, new: now }: Images): readonly StoredEvent[] {
  if (now === undefined || now['sk'] !== 'job' || now['news'] === undefined) return [];
  const events = now['events'];
  if (!Array.isArray(events)) return [];
  const known = old?.['incarnation'] === now['incarnation'] ? Number(old?.['lastN'] ?? 0) : 0;
  return (events as unknown as readonly StoredEvent[]).filter((event) => event.n > known);
}
