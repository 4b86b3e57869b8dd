import type { Instant } from './brand.ts';
import type { Channel } from './event.ts';
import { instantOf, isoTime } from './iso-time.ts';
import { timeIndex } from './settings.ts';

/** The newest event of a job's row, as the time index names it. */
export interface Newest {
  readonly at: Instant;
  readonly n: number;
  readonly channel: Channel;
  readonly incarnation: string;
}

/** Where a row stands in the time index; set by writes that append an event and by no other, so that the index costs only those. */
export const timeKey = (
  jobId: string,
  { at, n, channel, incarnation }: Newest,
): Readonly<Record<'eventHour' | 'eventAt', string>> => ({
  eventHour: `${hourOf(at)}#${Number.parseInt(jobId.slice(-4), 16) % timeIndex.shards}`,
  eventAt: `${isoTime(at)}#${n}#${channel}#${incarnation}`,
});

/** Reads what {@link timeKey} wrote; undefined for anything else. */
export function newestOf(eventAt: string): Newest | undefined {
  const [time = '', n = '', channel, incarnation] = eventAt.split('#');
  const at = instantOf(time);
  if (at === undefined || incarnation === undefined) return undefined;
  if (channel !== 'commands' && channel !== 'events') return undefined;
  return { at, n: Number(n), channel, incarnation };
}

/** The hour of the time index that a point in time falls in, such as `2026-12-01T13`. */
export const hourOf = (at: Instant): string => isoTime(at).slice(0, 13);
