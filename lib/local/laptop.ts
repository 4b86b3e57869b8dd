import { createJobs, type Jobs } from '../handler/create-jobs.ts';
import { definition, type Job } from '../handler/define-job.ts';
import { type EventOf, jobEvent } from '../handler/job-event.ts';
import { realClock } from '../handler/real-clock.ts';
import { isFinal, isJob, type JobRow, jobOf } from '../job/job.ts';
import type { Duration } from '../kernel/brand.ts';
import { envelopeOf } from '../kernel/envelope.ts';
import { permanent } from '../kernel/failure.ts';
import { groupId } from '../kernel/group-id.ts';
import type { Happening } from '../kernel/happening.ts';
import type { Json } from '../kernel/json.ts';
import { tables, targets } from '../kernel/settings.ts';
import { hours, later, milliseconds, minutes } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Key, Row } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { reasonOf } from '../retry/dead-letter.ts';
import { type Release, releaseMessage } from '../retry/release.ts';
import type { Faults, Strike } from './faults.ts';
import { HandClock } from './hand-clock.ts';
import { type Lane, laptopParts, type Parts } from './laptop-parts.ts';
import type { LaptopSettings } from './laptop-settings.ts';
import { Pace } from './pace.ts';
import { Schedule } from './schedule.ts';

/** One of your own queues, from the outside. */
export interface LocalQueue {
  /** @throws Failure for what SQS would refuse */
  send(body: Json, settings: { readonly group: string; readonly dedupId?: string }): Promise<void>;
  /** All its messages, in flight or not, in order. */
  waiting(): readonly { group: string; body: string; receiveCount: number }[];
  /** What is in its dead-letter queue; `code` is why, and empty where the queue's own redrive policy gave up. */
  deadLetters(): readonly { group: string; body: string; code: string }[];
  /** Asks for the release of a parked group: all of it or its first message, handled or dropped. */
  release(group: string, release?: Partial<Release>): Promise<void>;
}

/** Whether all is quiet, or what is left to do. */
export type Settled =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'stuck'; readonly waiting: readonly string[] };

/** A clock that is moved by hand; `forward` runs what falls due on the way. */
export interface MovedClock extends Clock {
  /** Moves time, and runs what falls due. */
  forward(by: Duration): Promise<void>;
}

/** The world in memory, with the functions that work on it. */
export interface Laptop<Queues extends string = never, Time = 'moved'> extends AsyncDisposable {
  readonly world: World;
  readonly jobs: Jobs;
  readonly faults: Faults;
  readonly clock: Time extends 'moved' ? MovedClock : Clock;
  /** One of your own queues. @throws Failure `queue-unknown`, which lists those that there are */
  queue(name: Queues): LocalQueue;
  /** Runs, moving a movable clock, until nothing is left to do; `stuck` names what didn't end within hours(24), or `within`. */
  settle(settings?: { readonly within?: Duration }): Promise<Settled>;
  /** What was published, in order of publication, repeats included. */
  events<J extends Job>(job: J): readonly EventOf<J>[];
  /** What happened of one kind, in order. */
  happenings<K extends Happening['kind']>(
    kind: K,
  ): readonly Extract<Happening, { readonly kind: K }>[];
  /** A row as it is now, with all its fields. */
  row(table: string, key: Key): Row | undefined;
  /** The faults that struck, in order. */
  strikes(): readonly Strike[];
}

/** How often the sweeper and reconcile are called, and the store forgets what its time to live has run out for. */
const every = { sweep: minutes(15), reconcile: hours(1), forget: hours(6) } as const;

/**
 * Starts a laptop: jobs with their workers, the relay, the sweeper, reconcile, consumers and your own queues, all in memory.
 *
 * @throws Failure as the doors throw at start, and `queue-name-twice`
 * @example
 * await using laptop = await startLaptop({ jobs: [greet] });
 * await laptop.jobs.submit(greet, { intentId: 'a', input: { name: 'Ada' } });
 * await laptop.settle();
 */
export async function startLaptop<
  const Queues extends string = never,
  Time extends 'moved' | 'real' = 'moved',
>(settings: LaptopSettings<Queues, Time>): Promise<Laptop<Queues, Time>> {
  for (const job of settings.jobs ?? []) definition(job);
  return new Running<Queues, Time>(
    laptopParts(settings as LaptopSettings<Queues, 'moved' | 'real'>),
  );
}

class Running<Queues extends string, Time> implements Laptop<Queues, Time> {
  readonly world: World;
  readonly jobs: Jobs;
  readonly faults: Faults;
  readonly clock: Laptop<Queues, Time>['clock'];
  readonly #parts: Parts;
  readonly #pace: Pace | undefined;
  readonly #schedules: readonly Schedule[];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.world = parts.world;
    this.jobs = createJobs(parts.world);
    this.faults = parts.faults;
    this.#pace =
      parts.clock instanceof HandClock
        ? new Pace(parts.clock, parts.activity, () => this.#isBusy())
        : undefined;
    this.clock = this.#clockOf(parts.clock) as Laptop<Queues, Time>['clock'];
    const { clock, sweeper, reconcile } = parts;
    this.#schedules = [
      new Schedule(clock, every.sweep, sweeper),
      new Schedule(clock, every.reconcile, reconcile),
      new Schedule(clock, every.forget, forgetting(parts)),
    ];
  }

  queue(name: Queues): LocalQueue {
    const lane = this.#parts.lanes.get(name);
    if (lane === undefined)
      throw permanent(
        'queue-unknown',
        `there is no queue "${name}", there are ${[...this.#parts.lanes.keys()].join(', ')}`,
      );
    return localQueue(lane, this.world);
  }

  async settle({ within = hours(24) }: { readonly within?: Duration } = {}): Promise<Settled> {
    const { clock } = this.#parts;
    const until = later(clock.now(), within);
    for (;;) {
      await this.#pace?.idle();
      const waiting = this.#waiting();
      if (waiting.length === 0) return { kind: 'quiet' };
      if (this.#pace === undefined) await realClock.sleep(milliseconds(5));
      const isMoving =
        this.#pace === undefined ? clock.now() < until : await this.#pace.next(until);
      if (!isMoving) return { kind: 'stuck', waiting };
    }
  }

  events<J extends Job>(job: J): readonly EventOf<J>[] {
    return this.#parts.topic
      .published()
      .map(({ body }) => envelopeOf(body))
      .filter(({ source }) => source === `/lanekeeper/${job.name}`)
      .map((envelope) => jobEvent(envelope) as unknown as EventOf<J>);
  }

  happenings<K extends Happening['kind']>(kind: K) {
    return this.#parts.happenings.filter(
      (happening): happening is Extract<Happening, { readonly kind: K }> => happening.kind === kind,
    );
  }

  row(table: string, key: Key): Row | undefined {
    return this.#parts.store.peek(table, key);
  }

  strikes(): readonly Strike[] {
    return this.#parts.faults.strikes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const schedule of this.#schedules) schedule.stop();
    this.#parts.streamMapping.stop();
    for (const { mapping, queue, deadLetters } of this.#parts.lanes.values()) {
      mapping.stop();
      queue.close();
      deadLetters.close();
    }
  }

  #clockOf(clock: Clock): MovedClock | Clock {
    const pace = this.#pace;
    if (pace === undefined) return clock;
    return {
      now: () => clock.now(),
      sleep: (length, signal) => clock.sleep(length, signal),
      alarm: (at, ring) => clock.alarm(at, ring),
      forward: (by) => pace.forward(by),
    };
  }

  #isBusy(): boolean {
    const { lanes, relay, sweeper, reconcile } = this.#parts;
    return [relay, sweeper, reconcile, ...[...lanes.values()].map(({ fleet }) => fleet)].some(
      (it) => it.isBusy(),
    );
  }

  /** What is still to be done, in words. */
  #waiting(): readonly string[] {
    const { lanes, store, streamMapping } = this.#parts;
    const queues = [...lanes.values()].flatMap(({ queue, mapping }) => [
      ...queue
        .messages()
        .map(
          ({ group, receiveCount }) =>
            `queue ${queue.name}: a message of group ${group}, received ${receiveCount} times`,
        ),
      ...(mapping.isIdle() || queue.messages().length > 0
        ? []
        : [`queue ${queue.name}: a batch is being handled`]),
    ]);
    const jobs = store
      .all(tables.jobs)
      .filter(isJob)
      .flatMap((row) => {
        const read = jobOf(row);
        return read.kind === 'job' ? leftOf(read.job, lanes) : [];
      });
    return [
      ...queues,
      ...jobs,
      ...(streamMapping.isIdle() ? [] : ['the relay: the stream has more to show']),
    ];
  }
}

/** The service that removes rows by their time to live. */
const forgetting = ({ store, clock }: Parts) => ({
  free: () => 1,
  async invoke() {
    store.forget(clock.now() / 1_000);
  },
});

/** What a job still needs: an end, or the first look of a sweep. */
function leftOf(job: JobRow, lanes: ReadonlyMap<string, Lane>): readonly string[] {
  if (!isFinal(job) && !lanes.has(`${targets.commands(job.kind)}.fifo`))
    return [`job ${job.id}: no worker for "${job.kind}", which is not among the laptop's jobs`];
  if (!isFinal(job)) return [`job ${job.id}: ${job.status}, generation ${job.generation}`];
  return job.sweepAt !== undefined && (job.sweeps ?? 0) === 0
    ? [`job ${job.id}: candidates to be swept`]
    : [];
}

const localQueue = ({ queue, deadLetters }: Lane, { random }: World): LocalQueue => ({
  async send(body, { group, dedupId = random.ulid() }) {
    queue.send({ body: JSON.stringify(body), group, dedupId });
  },
  waiting: () =>
    queue.messages().map(({ group, body, receiveCount }) => ({ group, body, receiveCount })),
  deadLetters: () =>
    deadLetters
      .messages()
      .map(({ group, body, attributes }) => ({ group, body, code: codeOf(attributes) })),
  async release(group, release = {}) {
    const entry = releaseMessage(groupId(group), { of: 'group', ...release }, random.ulid());
    queue.send({ ...entry, dedupId: entry.id });
  },
});

const codeOf = (attributes: Readonly<Record<string, string>> = {}): string =>
  String(reasonOf(attributes)['code'] ?? '');
