import type { Instant } from '../kernel/brand.ts';

/** What an event's place in a replay follows from. */
export interface Replayable {
  readonly group: string;
  readonly job: string;
  readonly sequence: number;
  readonly at: Instant;
}

/**
 * The order of a replay: each job's events by their sequence, and in a group by when they were committed. Two workers'
 * clocks differ, so a time never puts an event before an earlier one of its own job.
 */
export function inReplayOrder<Event extends Replayable>(all: readonly Event[]): readonly Event[] {
  const latest = new Map<string, number>();
  return all
    .toSorted((a, b) => a.sequence - b.sequence)
    .map((event) => {
      const at = Math.max(event.at, latest.get(event.job) ?? 0);
      latest.set(event.job, at);
      return { event, at };
    })
    .toSorted(
      (a, b) =>
        a.at - b.at || compared(a.event.job, b.event.job) || a.event.sequence - b.event.sequence,
    )
    .map(({ event }) => event);
}

const compared = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
