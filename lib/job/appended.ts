import type { Instant } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import type { Channel, StoredEvent } from '../kernel/event.ts';
import type { Json } from '../kernel/json.ts';
import { sizes } from '../kernel/settings.ts';
import { timeKey } from '../kernel/time-key.ts';
import type { Row } from '../ports/store.ts';
import type { JobRow } from './job.ts';

/** A fact that a transition adds to the job's row. */
export interface News {
  readonly channel: Channel;
  readonly type: string;
  readonly data: Json | undefined;
  readonly at: Instant;
}

/** What the write that appends an event does to the row. */
export interface Appended {
  readonly set: Row;
  readonly append: { readonly events: readonly Json[] };
}

/** The fields of a row from which its next event follows. */
export type Before = Pick<JobRow, 'id' | 'incarnation' | 'lastN' | 'sequences'> & {
  /** Of the row as the write leaves it. */
  readonly generation: number;
  readonly version: number;
};

/** The event that follows `before`, and the fields that count it; `news` rings the relay's doorbell. */
export function appended(before: Before, news: News): Appended {
  const n = before.lastN + 1;
  const sequence = before.sequences[news.channel] + 1;
  const event: StoredEvent = {
    n,
    channel: news.channel,
    sequence,
    id: `${before.id}:${before.incarnation}:${n}`,
    type: news.type,
    version: before.version,
    generation: before.generation,
    at: news.at,
    ...(news.data === undefined ? {} : { data: news.data }),
  };
  return {
    set: {
      lastN: n,
      news: n,
      sequences: { ...before.sequences, [news.channel]: sequence },
      ...timeKey(before.id, { ...event, incarnation: before.incarnation }),
    },
    append: { events: [{ ...event }] },
  };
}

/** Whether an event may carry this data: at most 64 KB as JSON. A terminal one always has its room, see {@link hasRoom}. */
export const fits = (data: Json | undefined): boolean => sizeOf(data) <= sizes.event;

/** Whether a row has room for an event that isn't its last: one more of 64 KB must fit behind it. */
export const hasRoom = (events: readonly StoredEvent[], data: Json | undefined): boolean =>
  bytesOf(JSON.stringify(events)) + sizeOf(data) + sizes.event <= sizes.events;

const sizeOf = (data: Json | undefined): number => bytesOf(JSON.stringify(data) ?? '');
