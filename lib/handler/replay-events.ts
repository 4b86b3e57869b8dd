import type { Context } from 'aws-lambda';
import type { JobRow } from '../job/job.ts';
import type { JobId } from '../kernel/brand.ts';
import type { Subject } from '../kernel/envelope.ts';
import { permanent } from '../kernel/failure.ts';
import type { Json } from '../kernel/json.ts';
import { milliseconds } from '../kernel/time.ts';
import { outgoing, type Shape } from '../outbox/outgoing.ts';
import { inReplayOrder } from '../outbox/replay-order.ts';
import type { Outgoing } from '../outbox/rounds.ts';
import type { Random } from '../ports/random.ts';
import type { World } from '../ports/world.ts';
import { asItIsNow, type Chosen, chosenEvents, type ReplayOf } from './chosen-events.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import type { JobEvent } from './job-event.ts';
import { MeteredStore, type ReadCost } from './metered-store.ts';
import { type Publisher, publish } from './published.ts';
import { quiet } from './quiet.ts';
import { shapeOf } from './read-stream.ts';

/** How they are sent. */
export interface ReplaySettings {
  /** Consumers that handle them again, once per name; all others know them by their ids. @default nobody does */
  readonly again?: { readonly name: string; readonly for: readonly string[] } | undefined;
  /** Events in a second, at most. @default 100 */
  readonly rate?: number;
  /** Counts, and sends nothing. @default false */
  readonly dryRun?: boolean;
  /** As the relay's: the data of an event as consumers shall see it. @default the data as it was committed */
  readonly shape?: (event: JobEvent) => Json;
}

/** What a replay came to. */
export interface Replayed {
  readonly jobs: number;
  readonly events: number;
  readonly sent: number;
  /** What its target didn't take, and what stood behind it in its group. */
  readonly held: readonly { readonly event: string; readonly group: string }[];
  /** Events that were erased, or whose job was, before their turn came. */
  readonly gone: number;
  /** Jobs whose first events are in their rows no more: trimmed, or erased. */
  readonly incomplete: readonly JobId[];
  /** Jobs that a newer release wrote; nothing of theirs was sent. */
  readonly unreadable: number;
  readonly cost: ReadCost;
}

/**
 * Publishes events of channel `events` once more, from their jobs' rows, in order: of each job by sequence, of each group
 * by commit. Each has its own id, a fresh deduplication id and the mark of a replay, so a consumer that has seen it does
 * nothing, unless it is named in `again`. The ledger is told nothing: what was never published stays reconcile's.
 *
 * Which events they are is held in memory, some 200 bytes each; what they say is read when their turn comes, one read per
 * event, so that what is erased meanwhile stays erased. Without a job it reads the whole table first, consistently.
 *
 * @throws Failure `replay-invalid` for what can't be, `window-invalid` for times that can't, `job-unknown`
 */
export async function replayEvents(
  world: World,
  of: ReplayOf,
  settings: ReplaySettings = {},
): Promise<Replayed> {
  check(of, settings);
  const store = new MeteredStore(world.store);
  const { jobs, events, incomplete, unreadable } = await chosenEvents(store, of);
  const { clock, random, sender } = world;
  const context = { awsRequestId: `replay-${random.ulid()}` } as Context;
  const epoch = new InvocationEpoch(context, clock);
  const observe = quiet(world.observe);
  const publisher = { store, sender, clock, observe, epoch, setsAside: false };
  const { rate = 100, again } = settings;
  const work = { publisher, context, random, rate, again, shape: shapeOf(settings) };
  const run = settings.dryRun ? nothingSent : await sent(work, inReplayOrder(events));
  return {
    ...{ jobs, events: events.length, ...run, incomplete, unreadable },
    cost: store.cost,
  };
}

const nothingSent = { sent: 0, held: [], gone: 0 } as const;

const name = /^[\w.-]{1,64}$/;
const consumer = /^[\w.-]{1,128}$/;

function check({ job, group, since }: ReplayOf, { again, rate = 100 }: ReplaySettings): void {
  const isNarrow = job !== undefined || group !== undefined || since !== undefined;
  const rules = [
    { holds: isNarrow, says: 'a replay is of a job, of a group, or from a time on: name one' },
    { holds: rate > 0, says: `the rate is a number of events per second above 0, got ${rate}` },
    {
      holds: again === undefined || name.test(again.name),
      says: `the name of a replay has 1 to 64 letters, digits, dots, dashes and underscores, got ${JSON.stringify(again?.name)}`,
    },
    {
      holds: again === undefined || (again.for.length > 0 && again.for.every(isConsumer)),
      says: `a replay with a name is for consumers, by their names, got ${JSON.stringify(again?.for)}`,
    },
  ];
  const broken = rules.find(({ holds }) => !holds);
  if (broken !== undefined) throw permanent('replay-invalid', broken.says);
}

const isConsumer = (it: string): boolean => consumer.test(it);

/** What a replay is sent with. */
interface Sending extends Pick<ReplaySettings, 'again'> {
  readonly publisher: Publisher & { readonly store: MeteredStore };
  readonly context: Context;
  readonly random: Random;
  readonly rate: number;
  readonly shape: Shape;
}

/** Sends in portions of a tenth of a second; a group that wasn't accepted sends nothing more. */
async function sent(
  work: Sending,
  all: readonly Chosen[],
): Promise<Pick<Replayed, 'sent' | 'held' | 'gone'>> {
  const { publisher, context, rate } = work;
  const portion = Math.max(1, Math.floor(rate / 10));
  const stopped = new Set<string>();
  const held: Chosen[] = [];
  let gone = 0;
  for (let i = 0; i < all.length; i += portion) {
    if (i > 0) await publisher.clock.sleep(milliseconds(Math.ceil((portion * 1_000) / rate)));
    const next = all.slice(i, i + portion);
    const open = next.filter(({ group }) => !stopped.has(group));
    const ways = await Promise.all(open.map((one) => way(work, one)));
    const known = ways.filter((it) => it !== undefined);
    gone += ways.length - known.length;
    const run = await publish(publisher, known, context);
    const left = new Set(run.held);
    const behind = next.filter(({ group, eventId }) => stopped.has(group) || left.has(eventId));
    held.push(...behind);
    for (const { group } of behind) stopped.add(group);
  }
  return {
    sent: all.length - held.length - gone,
    held: held.map(({ eventId, group }) => ({ event: eventId, group })),
    gone,
  };
}

/** How an event goes out, as its row has it now. */
async function way(work: Sending, one: Chosen): Promise<Outgoing | undefined> {
  const { publisher, random, again, shape } = work;
  const now = await asItIsNow(publisher.store, one);
  if (now === undefined) return undefined;
  return outgoing(now.event, subjectOf(now.row), {
    ...{ position: one.eventId, shape, again },
    repeat: random.ulid(),
  });
}

/** Only a job that succeeded has a result to speak of. */
const subjectOf = (row: JobRow): Subject => ({
  ...row,
  result: 'result' in row ? row.result : undefined,
});
