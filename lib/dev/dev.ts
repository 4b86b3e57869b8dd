import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import type { Resources } from '../aws/make-resources.ts';
import { QueueSource } from '../aws/queue-source.ts';
import { StreamSource } from '../aws/stream-source.ts';
import { isNews } from '../handler/is-news.ts';
import { realClock } from '../handler/real-clock.ts';
import type { Duration } from '../kernel/brand.ts';
import { environment, tables, targets } from '../kernel/settings.ts';
import { minutes, seconds } from '../kernel/time.ts';
import type { Note } from './note.ts';
import {
  type Fn,
  functionsOf,
  type Lengths,
  labelOf,
  type Plan,
  queueNameOf,
  timeoutOf,
} from './plan.ts';
import { ProcessFleet } from './process-fleet.ts';
import { QueuePoller } from './queue-poller.ts';
import { readyResources } from './ready-resources.ts';
import { said } from './said.ts';
import { Sandbox } from './sandbox.ts';
import { Schedule } from './schedule.ts';
import { StreamPoller } from './stream-poller.ts';

/** What runs, where, and how. */
export interface DevSettings {
  /** The project's config file. */
  readonly config: string;
  /** Where SQS, SNS, DynamoDB and S3 are. */
  readonly endpoint: string;
  /** Before the names of all resources. @default 'dev' */
  readonly prefix?: string;
  /** Processes of each function. @default 2, the fewest that can race */
  readonly workers?: number;
  /** How long a function may run, unless a job's `limits.attempt` asks for more. @default minutes(1), as infra does */
  readonly timeout?: Duration;
  /** How long a queue hides a message. @default six times the function's timeout, as infra does */
  readonly visibility?: Duration;
  /** What worker processes inherit, beside the settings that are made here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly told: (note: Note) => void;
  /** Ends it, also while it begins. */
  readonly signal?: AbortSignal;
}

/** A project that runs in development. */
export interface Dev extends AsyncDisposable {
  readonly plan: Plan;
  readonly resources: Resources;
  /** The environment that `onAws()` reads, for processes of your own; a reload may change it, and tells it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Loads the project's code anew: later invocations run it, and what it names anew exists then. */
  reload(): Promise<void>;
}

/** How often orphans are swept, and how long work may go on when all is stopped. */
const pauses = { sweep: minutes(1), stop: seconds(3) } as const;

/** Runs a project's handlers in worker processes behind real queues and a real stream. @throws Error for a config that can't be loaded, Failure for one that can't be right, AggregateError of what is wrong with resources */
export async function startDev(settings: DevSettings): Promise<Dev> {
  const dev = new Running(settings);
  const end = (): void => void dev[Symbol.asyncDispose]();
  settings.signal?.addEventListener('abort', end);
  try {
    await dev.begin();
    return dev;
  } catch (thrown) {
    await dev[Symbol.asyncDispose]();
    throw thrown;
  } finally {
    settings.signal?.removeEventListener('abort', end);
  }
}

/** A function with its processes and what feeds it. */
interface Lane {
  readonly fn: Fn;
  readonly fleet: ProcessFleet;
  stop(): Promise<void>;
}

class Running implements Dev {
  readonly #settings: DevSettings;
  readonly #lanes = new Map<string, Lane>();
  #plan: Plan | undefined;
  #resources: Resources | undefined;
  #reloads: Promise<unknown> = Promise.resolve();
  readonly #halt = new AbortController();
  #isEnded = false;
  readonly #kill = (): void => this.#halt.abort();

  constructor(settings: DevSettings) {
    this.#settings = { ...settings, config: resolve(settings.config) };
    setMaxListeners(0, this.#halt.signal);
    process.once('exit', this.#kill);
  }

  get #lengths(): Lengths {
    const { timeout = minutes(1), visibility } = this.#settings;
    return { timeout, ...(visibility === undefined ? {} : { visibility }) };
  }

  get plan(): Plan {
    return begun(this.#plan);
  }

  get resources(): Resources {
    return begun(this.#resources);
  }

  get environment(): Readonly<Record<string, string>> {
    const { tables: named, bucket, targets: sent } = this.resources;
    return {
      AWS_ENDPOINT_URL: this.#settings.endpoint,
      [environment.tables]: JSON.stringify(named),
      [environment.bucket]: bucket,
      [environment.targets]: JSON.stringify(sent),
    };
  }

  async begin(): Promise<void> {
    await this.#follow(await this.#readPlan());
    await Promise.all([...this.#lanes.values()].map(({ fleet }) => fleet.tried()));
  }

  /** One after the other, so that the last change is what runs in the end. */
  reload(): Promise<void> {
    const done = this.#reloads.then(() => this.#reloaded());
    this.#reloads = done;
    return done;
  }

  async #reloaded(): Promise<void> {
    const { told } = this.#settings;
    try {
      const changes = await this.#follow(await this.#readPlan());
      told({ kind: 'reloaded', ...changes, environment: this.environment });
    } catch (thrown) {
      if (!this.#isEnded) told({ kind: 'not-loaded', name: 'config', why: said(thrown) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    await Promise.all(lanes.map(ended));
    // Whatever is still being loaded.
    this.#kill();
    process.off('exit', this.#kill);
  }

  /** Asks a process of its own, so that this one never holds an old state of the project's code. */
  async #readPlan(): Promise<Plan> {
    const sandbox = await this.#start({ role: 'plan', name: 'plan' }, this.#settings.env);
    await sandbox.stop();
    return sandbox.plan;
  }

  /** Makes what a plan names, has old functions run the code as it is, begins new ones and ends those that are gone. */
  async #follow(plan: Plan): Promise<{ readonly added: string[]; readonly removed: string[] }> {
    const { endpoint, env, prefix = 'dev' } = this.#settings;
    const wanted = new Map(functionsOf(plan).map((fn) => [keyOf(fn), fn]));
    const ready = await readyResources(plan, { endpoint, env, prefix, lengths: this.#lengths });
    if (this.#isEnded) throw new Error('it has ended');
    this.#resources = ready;
    this.#plan = plan;
    const gone = [...this.#lanes].filter(([key]) => !wanted.has(key));
    const added = [...wanted].filter(([key]) => !this.#lanes.has(key));
    // Behind the resources, whose names new processes are told.
    for (const { fleet } of this.#lanes.values()) fleet.reload();
    for (const [key] of gone) this.#lanes.delete(key);
    for (const [key, fn] of added) this.#lanes.set(key, this.#lane(fn));
    await Promise.all(gone.map(([, lane]) => ended(lane)));
    return {
      added: added.map(([, fn]) => labelOf(fn)),
      removed: gone.map(([, { fn }]) => labelOf(fn)),
    };
  }

  #lane(fn: Fn): Lane {
    const { told, workers = 2 } = this.#settings;
    const fleet = this.#fleet(fn);
    const feed = { fleet, clock: realClock, told };
    const { endpoint } = this.#settings;
    if (fn.role === 'sweeper') {
      const schedule = new Schedule(fleet, { ...feed, every: pauses.sweep });
      return { fn, fleet, stop: () => schedule.stop() };
    }
    if (fn.role === 'relay') {
      const source = new StreamSource(endpoint, this.resources.tables[tables.jobs] ?? '');
      const poller = new StreamPoller({ ...feed, source, filter: isNews });
      return { fn, fleet, stop: () => poller.stop() };
    }
    const address = begun(this.resources.queues[queueNameOf(fn)]);
    const source = new QueueSource(endpoint, address);
    const poller = new QueuePoller({ ...feed, source, workers });
    return { fn, fleet, stop: () => poller.stop() };
  }

  #fleet(fn: Fn): ProcessFleet {
    const { workers = 2, told } = this.#settings;
    return new ProcessFleet({
      name: labelOf(fn),
      workers: fn.role === 'sweeper' ? 1 : workers,
      timeout: () => timeoutOf(fn, this.plan, this.#lengths.timeout),
      clock: realClock,
      told,
      start: () => this.#start(fn, { ...this.#settings.env, ...this.#environmentOf(fn) }),
    });
  }

  /** A function's own dead letters beside what all are told. */
  #environmentOf(fn: Fn): Readonly<Record<string, string>> {
    const { targets: all, queues } = this.resources;
    const deadLetters = queues[queueNameOf(fn)]?.deadLetters;
    if (deadLetters === undefined) return this.environment;
    const own = { ...all, [targets.deadLetters]: deadLetters };
    return { ...this.environment, [environment.targets]: JSON.stringify(own) };
  }

  #start(
    { role, name }: { readonly role: Fn['role'] | 'plan'; readonly name: string },
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<Sandbox> {
    const { config } = this.#settings;
    return Sandbox.start({ config, args: [role, name], env, halt: this.#halt.signal });
  }
}

/** What a function is: two roles may bear one name. */
const keyOf = ({ role, name }: Fn): string => `${role} ${name}`;

/** Stops what feeds a function, then its processes, though they be at work. */
async function ended({ fleet, stop }: Lane): Promise<void> {
  const wait = new AbortController();
  await Promise.race([stop(), realClock.sleep(pauses.stop, wait.signal)]);
  wait.abort();
  await fleet.stop();
}

function begun<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the project has not begun to run');
  return value;
}
