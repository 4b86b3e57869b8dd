import { isJob, type JobRow, jobOf, keyOf } from '../job/job.ts';
import type { Instant, JobId } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import { permanent } from '../kernel/failure.ts';
import { tables } from '../kernel/settings.ts';
import { type Asked, askedOf } from '../outbox/asked.ts';
import type { Replayable } from '../outbox/replay-order.ts';
import type { Row, Store } from '../ports/store.ts';

/** Which events, by what all of it must be true of: a job, or what a read of the whole table finds. */
export interface ReplayOf {
  readonly job?: JobId | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  /** Committed from here on, in ISO 8601 with a zone … */
  readonly since?: string | undefined;
  /** … and before. */
  readonly until?: string | undefined;
}

/** An event that is to be sent once more; what it says is read when its turn comes. */
export interface Chosen extends Replayable {
  readonly job: JobId;
  readonly eventId: string;
}

/** What a replay would send. */
export interface Found {
  readonly jobs: number;
  readonly events: readonly Chosen[];
  /** Jobs whose first events are in their rows no more: trimmed, or erased. */
  readonly incomplete: readonly JobId[];
  /** Rows that a newer release wrote. */
  readonly unreadable: number;
}

/** Finds them in the rows of their jobs. @throws Failure `window-invalid` with the value, `job-unknown` */
export async function chosenEvents(store: Store, of: ReplayOf): Promise<Found> {
  const window = askedOf({ since: of.since, until: of.until });
  const events: Chosen[] = [];
  const incomplete: JobId[] = [];
  let jobs = 0;
  let unreadable = 0;
  for await (const row of rowsOf(store, of)) {
    const read = jobOf(row);
    if (read.kind === 'newer') unreadable += 1;
    if (read.kind === 'newer' || !isAsked(read.job, of)) continue;
    const chosen = eventsOf(read.job).filter(({ at }) => isIn(at, window));
    if (read.job.firstN > 1) incomplete.push(read.job.id);
    if (chosen.length > 0) jobs += 1;
    events.push(...chosen.map((event) => chosenOf(event, read.job)));
  }
  return { jobs, events, incomplete, unreadable };
}

/** The event as its job's row has it now; undefined where it is there no more, or in another life of the job. */
export async function asItIsNow(
  store: Store,
  { job, eventId }: Chosen,
): Promise<{ readonly event: StoredEvent; readonly row: JobRow } | undefined> {
  const found = await store.read(tables.jobs, keyOf(job));
  const read = found === undefined ? undefined : jobOf(found);
  if (read?.kind !== 'job') return undefined;
  const event = eventsOf(read.job).find(({ id }) => id === eventId);
  return event === undefined ? undefined : { event, row: read.job };
}

const chosenOf = ({ id, sequence, at }: StoredEvent, row: JobRow): Chosen => ({
  ...{ eventId: id, job: row.id, group: row.groupId },
  ...{ sequence, at },
});

async function* rowsOf(store: Store, { job }: ReplayOf): AsyncGenerator<Row> {
  if (job === undefined) {
    for await (const row of store.scan(tables.jobs, { segment: 0, of: 1 }))
      if (isJob(row)) yield row;
    return;
  }
  const row = await store.read(tables.jobs, keyOf(job));
  if (row === undefined)
    throw permanent('job-unknown', `there is no job ${job}: jobs list finds those that there are`);
  yield row;
}

const eventsOf = ({ events }: JobRow): readonly StoredEvent[] =>
  events.filter(({ channel }) => channel === 'events');

const isAsked = ({ kind, groupId }: JobRow, of: ReplayOf): boolean =>
  (of.kind ?? kind) === kind && (of.group ?? groupId) === groupId;

const isIn = (at: Instant, { since, until }: Pick<Asked, 'since' | 'until'>): boolean =>
  at >= (since ?? 0) && at < (until ?? Number.POSITIVE_INFINITY);
