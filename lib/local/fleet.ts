import type { Handler } from '../handler/queue-handler.ts';
import type { Duration } from '../kernel/brand.ts';
import { between, later } from '../kernel/time.ts';
import type { World } from '../ports/world.ts';
import type { FaultPlan } from './faults.ts';
import { Gate } from './gate.ts';
import { gatedWorld } from './gated-world.ts';
import { lambdaContext } from './lambda-context.ts';
import { hasRequests } from './open-resources.ts';
import type { Activity } from './pace.ts';

/** One Lambda function: its code, how many sandboxes it may have, and how long it may run. */
export interface FleetSettings<Event, Response> {
  readonly name: string;
  readonly world: World;
  /** Makes the handler of one sandbox, in the sandbox's own world. */
  make(world: World, gate: Gate): Handler<Event, Response>;
  readonly workers: number;
  readonly timeout: Duration;
  readonly faults: FaultPlan;
  readonly activity: Activity;
  /** How far each worker's clock is ahead, in milliseconds, by worker number from 1 on. @default none */
  readonly skews?: readonly number[];
}

interface Sandbox<Event, Response> {
  readonly worker: number;
  readonly gate: Gate;
  readonly handler: Handler<Event, Response>;
  readonly sleepers: { readonly count: number };
  isRunning: boolean;
}

/**
 * The sandboxes of one function. One that crashes or runs into its timeout is gone and a fresh one takes its place; one
 * that is frozen when its time is over lives on beside its successor, as a zombie.
 */
export class Fleet<Event = unknown, Response = unknown> {
  readonly name: string;
  readonly #settings: FleetSettings<Event, Response>;
  readonly #sandboxes: Sandbox<Event, Response>[];
  readonly #zombies = new Set<Sandbox<Event, Response>>();

  constructor(settings: FleetSettings<Event, Response>) {
    this.name = settings.name;
    this.#settings = settings;
    this.#sandboxes = Array.from({ length: settings.workers }, (_, i) => this.#fresh(i + 1));
  }

  /** How many invocations can begin now. */
  free(): number {
    return this.#sandboxes.filter(isFree).length;
  }

  /** Whether some invocation is at work, be it a zombie's: not frozen, and not asleep unless a part of it reads the disk. */
  isBusy(): boolean {
    const running = this.#sandboxes.filter(({ isRunning }) => isRunning);
    return [...running, ...this.#zombies].some(
      ({ gate, sleepers }) => gate.state === 'open' && (sleepers.count === 0 || hasRequests()),
    );
  }

  /** Runs one invocation in a free sandbox; rejects when the handler throws, crashes or runs out of time. */
  async invoke(event: Event): Promise<Response> {
    const at = this.#sandboxes.findIndex(isFree);
    const sandbox = this.#sandboxes[at];
    if (sandbox === undefined)
      throw new Error(`${this.name} is throttled: all its workers are busy`);
    this.#settings.activity.count += 1;
    sandbox.isRunning = true;
    sandbox.gate.wake();
    try {
      return await this.#bounded(sandbox, event);
    } finally {
      this.#settings.activity.count += 1;
      sandbox.isRunning = false;
      if (sandbox.gate.state === 'open') sandbox.gate.rest();
      else this.#sandboxes[at] = this.#fresh(sandbox.worker);
    }
  }

  /** Ends whatever is at work, as a crash would: nothing of it happens any more, and it leaves no alarm behind. */
  close(): void {
    for (const { gate } of [...this.#sandboxes, ...this.#zombies]) gate.die();
  }

  #bounded(sandbox: Sandbox<Event, Response>, event: Event): Promise<Response> {
    const { gate, handler } = sandbox;
    const { world, timeout } = this.#settings;
    const { clock, random } = world;
    return new Promise((resolve, reject) => {
      const cancel = clock.alarm(later(clock.now(), timeout), () => {
        reject(new Error(`${this.name} ran out of time`));
        if (gate.state === 'frozen') this.#zombies.add(sandbox);
        else gate.die();
      });
      const settle = (end: () => void) => () => {
        cancel();
        forget();
        this.#zombies.delete(sandbox);
        end();
      };
      const forget = gate.onDeath(settle(() => reject(new Error(`${this.name} crashed`))));
      const end = later(clock.now(), timeout);
      const told = { name: this.name, requestId: random.ulid(), logStreamName: 'local' };
      const context = lambdaContext(told, () => between(clock.now(), end));
      // Async, so that what a handler throws before its first await is its rejection too.
      const run = async (): Promise<Response> => handler(event, context);
      run().then(
        (response) => settle(() => resolve(response))(),
        (thrown: unknown) =>
          settle(() => reject(thrown instanceof Error ? thrown : new Error(String(thrown))))(),
      );
    });
  }

  #fresh(worker: number): Sandbox<Event, Response> {
    const { world, make, faults, activity, skews = [] } = this.#settings;
    const gate = new Gate(this.name, worker, { faults, activity });
    const sleepers = { count: 0 };
    const gated = gatedWorld(world, { gate, faults, sleepers, skew: skews[worker - 1] ?? 0 });
    return { worker, gate, handler: make(gated, gate), sleepers, isRunning: false };
  }
}

const isFree = ({ isRunning, gate }: Sandbox<never, unknown>): boolean =>
  !isRunning && (gate.state === 'open' || gate.state === 'resting');
