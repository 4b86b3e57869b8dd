import type { Duration, Instant } from '../kernel/brand.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Key, Write } from '../ports/store.ts';

/** Whose memory of which message or event, and where it is kept. */
export interface Remembered {
  readonly consumer: string;
  readonly table: string;
  readonly id: string;
}

/** Where an entry is. */
export const entryKey = ({ consumer, id }: Remembered): Key => ({
  pk: `inbox#${consumer}#${id}`,
  sk: 'inbox',
});

/** The guarded put that makes a commit happen once per consumer and id; refused, it is a repeat. */
export const inboxEntry = (remembered: Remembered, at: Instant, keep: Duration): Write => ({
  table: remembered.table,
  key: entryKey(remembered),
  // guard: inbox
  when: [{ kind: 'absent', why: 'inbox' }],
  kind: 'put',
  fields: { at, ttl: timeToLive(at, keep) },
});

/** An event whose replay, where it has a name, is to be handled again by some. */
export interface Replayable {
  readonly id: string;
  readonly replayAs?: { readonly name: string; readonly for: readonly string[] };
}

/** What makes an event one to this consumer: its id, and the name of a replay that is for it. No event id holds a "#". */
export const eventEntry = ({ id, replayAs }: Replayable, consumer: string): string =>
  replayAs?.for.includes(consumer) ? `${id}#${replayAs.name}` : id;
