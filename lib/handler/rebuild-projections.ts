import { type JobRow, jobOf, keyOf } from '../job/job.ts';
import type { Duration, JobId } from '../kernel/brand.ts';
import type { Envelope } from '../kernel/envelope.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { permanent } from '../kernel/failure.ts';
import { tables } from '../kernel/settings.ts';
import { later, minutes } from '../kernel/time.ts';
import type { Key, Row } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { cursorAt, cursorKey } from '../projection/cursor.ts';
import { checkTable } from './care.ts';
import { projected } from './projected.ts';
import {
  type DefinedDelta,
  type DefinedProjection,
  type DefinedSnapshot,
  definedProjection,
  type Projection,
} from './projection.ts';
import type { Projector } from './projector.ts';
import { rowEvents } from './row-events.ts';

/** Where a rebuild goes on: behind a job, in one segment of so many. */
export interface RebuildPlace {
  readonly segment: number;
  readonly of: number;
  readonly after?: Key;
}

/** How far one call goes. */
export interface RebuildSettings {
  /** Where an earlier call stopped, or the segment of one of several workers. @default the whole table as one segment */
  readonly from?: RebuildPlace;
  /** After so long it stops behind the job at hand. @default minutes(14), below Lambda's own limit */
  readonly within?: Duration;
  /** Nothing is written once it is over. @default never */
  readonly epoch?: Epoch;
}

/** What one call of a rebuild came to. */
export interface Rebuilt {
  /** Jobs that were read. */
  readonly jobs: number;
  /** Jobs whose row no longer has all that a delta needs, or that a newer release wrote: nothing was guessed for them. */
  readonly left: readonly JobId[];
  /** Where to go on; undefined at the end of the segment. */
  readonly next: RebuildPlace | undefined;
}

/**
 * Feeds projections from the jobs table while live events go on: both pass the same guards, so nothing is counted twice
 * and nothing goes back. For a fresh start give the projection a new name or an empty table.
 *
 * @throws Failure `projection-not-defined`, `table-unknown`, or what a projection's own code throws
 * @example
 * let place: RebuildPlace | undefined = { segment: 0, of: 1 };
 * while (place) place = (await rebuildProjections([board], world, { from: place })).next;
 */
export async function rebuildProjections(
  projections: readonly Projection<never>[],
  world: World,
  settings: RebuildSettings = {},
): Promise<Rebuilt> {
  const { from = { segment: 0, of: 1 }, within = minutes(14), epoch } = settings;
  const all = projections.map(definedProjection);
  checkPlace(from);
  for (const { name, table } of all) checkTable(table, `projection "${name}"`, world);
  checkTable(tables.jobs, 'a rebuild', world);
  const by = projectorOf(world, epoch);
  const until = later(world.clock.now(), within);
  const left: JobId[] = [];
  let jobs = 0;
  for await (const row of world.store.scan(tables.jobs, from)) {
    if (row['sk'] !== 'job') continue;
    jobs += 1;
    if (!(await rebuilt(by, all, row))) left.push(String(row['id']) as JobId);
    const after = keyOf(String(row['id']) as JobId);
    if (world.clock.now() >= until) return { jobs, left, next: { ...from, after } };
  }
  return { jobs, left, next: undefined };
}

function checkPlace({ segment, of }: RebuildPlace): void {
  const isWhole = Number.isSafeInteger(segment) && Number.isSafeInteger(of);
  if (isWhole && segment >= 0 && segment < of) return;
  throw permanent(
    'setting-invalid',
    `a rebuild's segment counts from 0 and is less than of, got ${segment} of ${of}`,
  );
}

const projectorOf = (world: World, epoch: Epoch | undefined): Projector => ({
  world,
  ...(epoch === undefined ? {} : { epoch }),
  tellGap: (kind, gap, projection) =>
    world.observe({ kind, at: world.clock.now(), projection, ...gap }),
});

interface Told {
  readonly job: JobRow;
  readonly events: readonly Envelope[];
}

/** Whether all that the row should hold was there. */
async function rebuilt(
  by: Projector,
  all: readonly DefinedProjection[],
  row: Row,
): Promise<boolean> {
  const read = jobOf(row);
  if (read.kind === 'newer') return false;
  const told = { job: read.job, events: rowEvents(read.job) };
  let isWhole = true;
  for (const projection of all) {
    const isDone =
      projection.kind === 'snapshot'
        ? await shown(by, projection, told)
        : await summed(by, projection, told);
    if (!isDone) isWhole = false;
  }
  return isWhole;
}

/** The newest event that says something of the row is enough: an older one would be refused. */
async function shown(
  by: Projector,
  projection: DefinedSnapshot,
  { job, events }: Told,
): Promise<boolean> {
  for (const envelope of events.toReversed())
    if ((await projected(by, projection, envelope)).kind !== 'skipped') return true;
  return job.firstN === 1 || job.erasedAt !== undefined;
}

/** All events in order, from the cursor on. */
async function summed(by: Projector, delta: DefinedDelta, { job, events }: Told): Promise<boolean> {
  const { name, table, sorted } = delta;
  const { id, incarnation } = job;
  const cursor = { projection: name, table, sorted, job: id, incarnation };
  const at = cursorAt(await by.world.store.read(table, cursorKey(cursor)));
  const behind = events.filter(({ sequence }) => sequence > at);
  for (const envelope of behind)
    if ((await projected(by, delta, envelope)).kind === 'held') return false;
  return behind.length > 0 || job.sequences.events <= at;
}
