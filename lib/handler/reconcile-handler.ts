import { permanent } from '../kernel/failure.ts';
import { isoTime } from '../kernel/iso-time.ts';
import type { Json } from '../kernel/json.ts';
import { tables, timeIndex } from '../kernel/settings.ts';
import { askedOf } from '../outbox/asked.ts';
import { ended, type Reached } from '../outbox/pass.ts';
import { partsOf, segmentsPk, standing } from '../outbox/segment.ts';
import type { Row } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { currentPass } from './current-pass.ts';
import { Evidence } from './evidence.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import type { JobEvent } from './job-event.ts';
import { MeteredStore } from './metered-store.ts';
import type { Handler } from './queue-handler.ts';
import { quiet } from './quiet.ts';
import { RateLimit } from './rate-limit.ts';
import { shapeOf } from './read-stream.ts';
import { reconcilePart } from './reconcile-part.ts';
import { margin, type Reconciling } from './reconciling.ts';
import { isLate } from './remaining-of.ts';
import { surely } from './surely.ts';
import { type Reconciled, Tally } from './tally.ts';

/** How reconcile goes about it. */
export interface ReconcileSettings {
  /** As the relay's: the data of an event as consumers shall see it. @default the data as it was committed */
  readonly shape?: (event: JobEvent) => Json;
  /** Whether the jobs table has the time index, so that only rows with news are read; all rows once a day nevertheless. @default false */
  readonly timeIndex?: boolean;
  /** Into how many parts a pass is cut, which invocations share; at most 8. @default 4 */
  readonly segments?: number;
  /** The most rows of jobs that an invocation reads in a second. @default 1,000, a twelfth of what a new on-demand table allows */
  readonly rate?: number;
}

/** What a call may ask for; a schedule's event asks for nothing. */
export interface ReconcileEvent {
  /** A window of one's own, in ISO 8601; it moves no watermark. @default from where reconcile came to */
  readonly since?: string;
  /** @default now, without what the relay may still be at */
  readonly until?: string;
  /** Says what it would do; sends and writes nothing. @default false */
  readonly dryRun?: boolean;
  /** Sends what is older than the ledger's memory too, which was most likely published before. @default false */
  readonly unproved?: boolean;
}

/**
 * Finds committed events that the ledger doesn't prove, what was set aside, and the commands of jobs that nobody works
 * on, and sends them, in order per job. Any schedule up to hourly will do; several at once share the work, and a crash
 * or a deadline leaves it to the next.
 *
 * @throws Failure `reconcile-invalid` for settings that can't be, and `window-invalid` for such a call
 */
export function reconcileHandler(
  world: World,
  settings: ReconcileSettings = {},
): Handler<ReconcileEvent, Reconciled> {
  check(settings);
  const { clock, random, sender } = world;
  const durable = world.store;
  const observe = quiet(world.observe);
  return async (event, context) => {
    const asked = askedOf(event);
    const store = new MeteredStore(durable);
    const { pass, reached } = await currentPass({ store, clock, random }, settings, asked);
    const work = workOf({ store, clock, random, sender, observe }, settings, {
      asked,
      pass,
      context,
    });
    const skipped = await workedOn(work);
    const left = asked.dryRun ? skipped : await leftAfter(work, reached);
    if (!asked.dryRun) tell(work, observe);
    return reportOf(work, left);
  };
}

/** @throws Failure `reconcile-invalid`, with the value */
function check({ segments = 4, rate = 1_000 }: ReconcileSettings): void {
  const rules = [
    {
      holds: Number.isInteger(segments) && segments >= 1 && segments <= timeIndex.shards,
      says: `"segments" is a whole number from 1 to ${timeIndex.shards}, got ${segments}`,
    },
    { holds: rate > 0, says: `"rate" is a number of rows per second above 0, got ${rate}` },
  ];
  const broken = rules.find(({ holds }) => !holds);
  if (broken !== undefined) throw permanent('reconcile-invalid', broken.says);
}

function workOf(
  world: Pick<World, 'clock' | 'random' | 'sender' | 'observe'> & { readonly store: MeteredStore },
  settings: ReconcileSettings,
  at: Pick<Reconciling, 'asked' | 'pass' | 'context'>,
): Reconciling {
  const { store, clock, random, sender, observe } = world;
  const epoch = new InvocationEpoch(at.context, clock);
  return {
    ...at,
    ...{ store, clock, random },
    publisher: { store, sender, clock, observe, epoch },
    shape: shapeOf(settings),
    evidence: new Evidence(store, clock),
    tally: new Tally(),
    limit: new RateLimit(clock, settings.rate ?? 1_000),
  };
}

/** Works on one part after the other; how many it had no time for. */
async function workedOn(work: Reconciling): Promise<number> {
  const parts = partsOf(work.pass);
  for (const [i, part] of parts.entries()) {
    if (isLate(work.context, margin)) return parts.length - i;
    await reconcilePart(work, part);
  }
  return 0;
}

/** Ends the pass if all its parts are done; else how many aren't. */
async function leftAfter(work: Reconciling, reached: Reached): Promise<number> {
  const { store, pass, publisher } = work;
  const rows: Row[] = [];
  for await (const row of store.query(tables.ledger, { pk: segmentsPk(pass) })) rows.push(row);
  const { left, heldFrom } = standing(pass, rows);
  if (left === 0) await surely(work, [ended(pass, reached, heldFrom)], publisher.epoch);
  return left;
}

function tell({ tally, clock, evidence: { aside } }: Reconciling, observe: World['observe']): void {
  const at = clock.now();
  const { published, oldest, unproved, idle, unprovable } = tally;
  if (published > 0) observe({ kind: 'events-reconciled', at, count: published });
  observe({ kind: 'backlog', at, oldest, unproved, aside, idle, unprovable });
}

function reportOf({ tally, pass, asked, store, evidence }: Reconciling, left: number): Reconciled {
  const { checked, published, held, idle, unprovable, unreadable, orderBroken, oldest } = tally;
  return {
    ...{ checked, published, held, idle, unprovable, unreadable, orderBroken },
    found: tally.all,
    aside: evidence.aside,
    oldestUnproved: oldest,
    window: { since: isoTime(pass.since), until: isoTime(pass.until) },
    cost: store.cost,
    left,
    dryRun: asked.dryRun,
  };
}
