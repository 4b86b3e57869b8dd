import { isJob } from '../job/job.ts';
import type { Instant } from '../kernel/brand.ts';
import { lengths, schemaNumber, tables, timeIndex } from '../kernel/settings.ts';
import { between, hours, later } from '../kernel/time.ts';
import { hourOf, type Newest, newestOf } from '../kernel/time-key.ts';
import type { OutboxRow } from '../outbox/judged.ts';
import { targetOf } from '../outbox/outgoing.ts';
import type { Key, Row } from '../ports/store.ts';
import type { Reconciling } from './reconciling.ts';

/** One step of a walk over jobs: where it stands, and the row if there is anything to judge; the heads of groups lie among jobs. */
export interface Step {
  readonly position: Key;
  readonly row: OutboxRow | 'unreadable' | 'no-job' | undefined;
}

/** Walks over the rows of one segment behind `after`, as fast as the limit allows. */
export async function* rowWalk(
  work: Reconciling,
  segment: number,
  after: Key | undefined,
): AsyncGenerator<Step> {
  const walk = work.pass.by === 'index' ? indexed : scanned;
  for await (const step of walk(work, segment, after)) {
    await work.limit.pass();
    yield step;
  }
}

async function* scanned(
  { store, pass }: Reconciling,
  segment: number,
  after: Key | undefined,
): AsyncGenerator<Step> {
  const by = { segment, of: pass.segments, ...(after === undefined ? {} : { after }) };
  for await (const row of store.scan(tables.jobs, by))
    yield { position: keyOf(row), row: readable(row) };
}

/** A row shows only its newest event there, so the index is read until now, and what it leads to is read as it is now. */
async function* indexed(
  work: Reconciling,
  segment: number,
  after: Key | undefined,
): AsyncGenerator<Step> {
  let isBehind = after === undefined;
  for (const pk of partitions(work, segment)) {
    isBehind ||= pk === after?.pk;
    if (!isBehind) continue;
    const from = pk === after?.pk ? after.sk : undefined;
    const by = { pk, index: timeIndex.index, ...(from === undefined ? {} : { from }) };
    for await (const entry of work.store.query(tables.jobs, by)) {
      const sk = String(entry[timeIndex.key.sk]);
      yield { position: { pk, sk }, row: await named(work, keyOf(entry), newestOf(sk)) };
    }
  }
}

/** The hours from the window's beginning until now, which may go on while this is read, and in each the segment's shards. */
function* partitions({ pass, clock }: Reconciling, segment: number): Generator<string> {
  const end = (): Instant => later(clock.now(), lengths.skew);
  for (let at = pass.since; hourOf(at) <= hourOf(end()); at = later(at, hours(1)))
    for (let shard = segment; shard < timeIndex.shards; shard += pass.segments)
      yield `${hourOf(at)}#${shard}`;
}

/** The row of an entry, unless the entry says that all its events are proved and that its job is over or young. */
async function named(
  { store, evidence, clock }: Reconciling,
  key: Key,
  newest: Newest | undefined,
): Promise<Step['row']> {
  if (newest !== undefined) {
    await evidence.reach(newest.at);
    const mayBeIdle =
      newest.channel === 'commands' && between(newest.at, clock.now()) >= lengths.idleAfter;
    // guard: index-proved
    if (!mayBeIdle && areProved(key, newest, evidence)) return undefined;
  }
  const row = await store.read(tables.jobs, key);
  return row === undefined ? undefined : readable(row);
}

/** Whether each event up to the newest is proved where it may have gone: an entry tells the number of events, not their channels. */
function areProved(
  { pk }: Key,
  { n, incarnation }: Newest,
  { isProved, isAside }: Reconciling['evidence'],
): boolean {
  const id = pk.slice('job#'.length);
  const kind = id.slice(0, id.lastIndexOf('-'));
  const where = (['commands', 'events'] as const).map((channel) => targetOf({ channel }, kind));
  return Array.from({ length: n }, (_, i) => `${id}:${incarnation}:${i + 1}`).every((eventId) =>
    where.some((target) => isProved(target, eventId) || isAside(target, eventId)),
  );
}

const keyOf = (row: Row): Key => ({ pk: String(row['pk']), sk: String(row['sk']) });

/** A job's row; told where it is none, or where a newer release wrote it. */
function readable(row: Row): Step['row'] {
  // guard: heads
  if (!isJob(row)) return 'no-job';
  // guard: schema
  if (Number(row['schema']) > schemaNumber) return 'unreadable';
  return row as OutboxRow;
}
