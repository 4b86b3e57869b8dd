import type { Subject } from '../kernel/envelope.ts';
import type { StoredEvent } from '../kernel/event.ts';
import type { Row } from '../ports/store.ts';

/** A row before and after one write, as the table's stream shows it. */
export interface Images {
  readonly old: Row | undefined;
  readonly new: Row | undefined;
}

/** What a write announces: events, and the job that they speak of. */
export interface News {
  readonly subject: Subject;
  readonly events: readonly StoredEvent[];
}

/**
 * What a write announces: the events that it appended to a job's row, or the command that it put at the head of a group.
 * Whatever isn't such a row with the doorbell set announces nothing: claims, renewals, notes, removals and rows of other
 * kinds.
 */
export function newsOf({ old, new: now }: Images): News | undefined {
  if (now === undefined || now['news'] === undefined) return undefined;
  if (now['sk'] === 'head') return fromHead(old, now);
  const events = now['sk'] === 'job' ? newEvents(old, now) : [];
  return events.length === 0 ? undefined : { subject: now as unknown as Subject, events };
}

/** Those behind the last of the old row, or all of them where there was no old row or another incarnation. */
function newEvents(old: Row | undefined, now: Row): readonly StoredEvent[] {
  const events = now['events'];
  if (!Array.isArray(events)) return [];
  const known = old?.['incarnation'] === now['incarnation'] ? Number(old?.['lastN'] ?? 0) : 0;
  return (events as unknown as readonly StoredEvent[]).filter((event) => event.n > known);
}

/** Each submission counts the head's `order` up and lays its own command there. */
function fromHead(old: Row | undefined, now: Row): News | undefined {
  if (Number(now['order']) <= Number(old?.['order'] ?? 0)) return undefined;
  const command = now['command'] as unknown as (Subject & { event: StoredEvent }) | undefined;
  return command === undefined ? undefined : { subject: command, events: [command.event] };
}
