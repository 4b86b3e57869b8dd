import { definition, type Job, withRun } from '../handler/define-job.ts';
import { isNews } from '../handler/is-news.ts';
import { jobHandler } from '../handler/job-handler.ts';
import type { OfWorld } from '../handler/of-world.ts';
import type { SqsHandler } from '../handler/queue-handler.ts';
import { realClock } from '../handler/real-clock.ts';
import { type ReconcileEvent, reconcileHandler } from '../handler/reconcile-handler.ts';
import { relayHandler } from '../handler/relay-handler.ts';
import { type Swept, sweepHandler } from '../handler/sweep-handler.ts';
import type { Reconciled } from '../handler/tally.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import type { Happening } from '../kernel/happening.ts';
import { tables, targets } from '../kernel/settings.ts';
import { minutes, seconds, sum, times } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { World } from '../ports/world.ts';
import { ChangeStream } from './change-stream.ts';
import { FaultPlan, type Service } from './faults.ts';
import { Queue } from './fifo-queue.ts';
import { Fleet } from './fleet.ts';
import type { Gate } from './gate.ts';
import { HandClock } from './hand-clock.ts';
import type { LaptopSettings } from './laptop-settings.ts';
import { LocalSender, type Target } from './local-sender.ts';
import { LocalVisibility } from './local-visibility.ts';
import { MemoryBucket } from './memory-bucket.ts';
import type { MemoryStore } from './memory-store.ts';
import { memoryTables } from './memory-tables.ts';
import type { Activity } from './pace.ts';
import { QueueMapping } from './queue-mapping.ts';
import { SeededRandom } from './seeded-random.ts';
import { StreamMapping } from './stream-mapping.ts';
import { Topic } from './topic.ts';

/** When a hand-moved clock begins: a Thursday's midnight, so that histories read well. */
const beginning = 1_767_225_600_000 as Instant;

/** How often a message is received at most before the queue itself sets it aside: the last net, since handlers count failures. */
const maxReceiveCount = 1_000;

/** A queue with its function and the mapping between them. */
export interface Lane {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly fleet: Fleet<Parameters<SqsHandler>[0], unknown>;
  readonly mapping: QueueMapping;
}

/** All that a laptop is made of. */
export interface Parts {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly store: MemoryStore;
  readonly bucket: MemoryBucket;
  readonly topic: Topic;
  readonly world: World;
  readonly faults: FaultPlan;
  readonly activity: Activity;
  readonly happenings: readonly Happening[];
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly streamMapping: StreamMapping;
  readonly relay: Fleet<never, unknown>;
  readonly sweeper: Fleet<unknown, Swept>;
  readonly reconcile: Fleet<ReconcileEvent, Reconciled>;
}

/** Builds a laptop's parts from the outside in: clock, services, world, functions, mappings. */
export function laptopParts<Queues extends string>(
  settings: LaptopSettings<Queues, 'moved' | 'real'>,
): Parts {
  const { seed = 1, time = 'moved' } = settings;
  const clock = time === 'real' ? realClock : new HandClock(beginning);
  const random = new SeededRandom(seed, clock);
  const stream = new ChangeStream(tables.jobs, clock);
  const activity: Activity = { count: 0 };
  const happenings: Happening[] = [];
  const pauses: ((of: Service, until: Instant) => void)[] = [];
  const faults = new FaultPlan(clock, (of, until) => {
    for (const pause of pauses) pause(of, until);
  });
  const base: Base = { settings, clock, random, faults, activity };
  const queues = plannedQueues(base);
  checkNames(queues.map(({ queue }) => queue.name));
  const topic = new Topic(
    clock,
    queues.filter(({ role }) => role === 'consumer').map(({ queue }) => queue),
  );
  const world: World = {
    clock,
    random,
    store: memoryTables(stream, settings.tables ?? []),
    bucket: new MemoryBucket('results', clock),
    sender: new LocalSender(targetsOf(queues, topic)),
    visibility: new LocalVisibility(queues.map(({ queue }) => queue)),
    observe: (happening) => {
      happenings.push(happening);
      settings.observe?.(happening);
    },
  };
  const lanes = new Map(
    queues.map((planned) => {
      const sender = new LocalSender(targetsOf(queues, topic, planned.deadLetters));
      return [planned.queue.name, laneOf(planned, base, { ...world, sender })];
    }),
  );
  const relay = fleet(base, world, { name: 'relay', make: (own) => relayHandler(own) });
  const streamMapping = new StreamMapping({ stream, fleet: relay, clock, filter: isNews });
  const sweeper = fleet(base, world, { name: 'sweeper', make: (own) => sweepHandler(own) });
  const reconcile = fleet(base, world, {
    name: 'reconcile',
    make: (own) => reconcileHandler(own, settings.reconcile),
  });
  pauses.push((of, until) => {
    if (of === 'stream') streamMapping.pause(until);
    if (of === 'sqs') for (const { mapping } of lanes.values()) mapping.pause(until);
  });
  return {
    ...base,
    ...{ topic, world, happenings, lanes, streamMapping, sweeper, reconcile },
    relay: relay as unknown as Fleet<never, unknown>,
    store: world.store as MemoryStore,
    bucket: world.bucket as MemoryBucket,
  };
}

interface Base {
  readonly settings: LaptopSettings<string, 'moved' | 'real'>;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly faults: FaultPlan;
  readonly activity: Activity;
}

/** @throws Failure `queue-name-twice`, since one of the two would be forgotten */
function checkNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw permanent('queue-name-twice', `two queues of the laptop are called "${twice}"`);
}

interface Planned {
  readonly role: 'commands' | 'consumer' | 'own';
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly timeout: Duration;
  readonly make: (world: World, gate: Gate) => SqsHandler;
}

function plannedQueues(base: Base): readonly Planned[] {
  const { jobs = [], consumers = {}, queues = {}, timeout = minutes(1) } = base.settings;
  const plain =
    (role: Planned['role'], suffix: string) =>
    ([name, make]: [string, OfWorld]) =>
      planned(base, { role, name: `${name}${suffix}`, timeout, make: (world) => make(world) });
  return [
    ...jobs.map((job) =>
      planned(base, {
        role: 'commands',
        name: `${targets.commands(job.name)}.fifo`,
        timeout: timeoutOf(job, timeout),
        make: (world, gate) => jobHandler(gated(job, gate), world),
      }),
    ),
    ...Object.entries<OfWorld>(consumers).map(plain('consumer', '.fifo')),
    ...Object.entries<OfWorld>(queues).map(plain('own', '')),
  ];
}

/** A function runs as long as the laptop's functions do, or as one attempt of its job may if that was set, and the margin. */
function timeoutOf({ limits: { attempt } }: Job, usual: Duration): Duration {
  return attempt === minutes(15)
    ? usual
    : (Math.min(minutes(15), Math.max(usual, sum(attempt, seconds(5)))) as Duration);
}

function planned(
  { clock, random }: Base,
  { name, ...rest }: Omit<Planned, 'queue' | 'deadLetters'> & { readonly name: string },
): Planned {
  const visibilityTimeout = times(rest.timeout, 6);
  const deadLetters = new Queue({
    name: name.endsWith('.fifo') ? name.replace(/\.fifo$/, '-dead.fifo') : `${name}-dead`,
    clock,
    random,
    visibilityTimeout,
  });
  const redrive = { to: deadLetters, maxReceiveCount };
  return {
    ...rest,
    deadLetters,
    queue: new Queue({ name, clock, random, visibilityTimeout, redrive }),
  };
}

/** A job whose code is a point at which a fault can strike. */
const gated = (job: Job, gate: Gate): Job =>
  withRun(definition(job), async (attempt, run) => {
    await gate.pass(['handle'], 'before');
    const answer = await run(attempt);
    await gate.pass(['handle'], 'after');
    return answer;
  });

/** By the names that handlers use, and queues by their ARNs too; dead letters are a function's own. */
const targetsOf = (
  queues: readonly Planned[],
  topic: Topic,
  deadLetters?: Queue,
): ReadonlyMap<string, Target> =>
  new Map<string, Target>([
    [targets.events, topic],
    ...(deadLetters === undefined ? [] : [[targets.deadLetters, deadLetters] as const]),
    ...queues.map(({ queue }) => [queue.arn, queue] as const),
    ...queues
      .filter(({ role }) => role === 'commands')
      .map(({ queue }) => [queue.name.replace(/\.fifo$/, ''), queue] as const),
  ]);

function laneOf({ queue, deadLetters, timeout, make }: Planned, base: Base, world: World): Lane {
  const workers = fleet(base, world, { name: queue.name.replace(/\.fifo$/, ''), make, timeout });
  const { clock, faults } = base;
  const { batchSize = 10 } = base.settings;
  const mapping = new QueueMapping({
    queue,
    fleet: workers,
    functionTimeout: timeout,
    clock,
    faults,
    batchSize,
  });
  return { queue, deadLetters, fleet: workers, mapping };
}

function fleet<Event, Response>(
  { settings, faults, activity }: Base,
  world: World,
  of: {
    readonly name: string;
    readonly timeout?: Duration;
    make(
      world: World,
      gate: Gate,
    ): (event: Event, context: Parameters<SqsHandler>[1]) => Promise<Response>;
  },
): Fleet<Event, Response> {
  const { workers = 2, timeout = minutes(1), skews = [] } = settings;
  return new Fleet({ workers, timeout, skews, ...of, world, faults, activity });
}
