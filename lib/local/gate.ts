import type { FaultPlan } from './faults.ts';
import type { Activity } from './pace.ts';
import type { Point } from './point.ts';

/** What every step of one sandbox passes: there it can be frozen, and there it dies. */
export class Gate {
  /** The function's name and the worker's number. */
  readonly name: string;
  readonly of: string;
  readonly worker: number;
  readonly #faults: FaultPlan;
  readonly #activity: Activity;
  readonly #waiting: (() => void)[] = [];
  readonly #late: (() => void)[] = [];
  readonly #onDeath = new Set<() => void>();
  #steps = 0;
  #state: 'open' | 'resting' | 'frozen' | 'dead' = 'open';

  constructor(
    of: string,
    worker: number,
    by: { readonly faults: FaultPlan; readonly activity: Activity },
  ) {
    this.of = of;
    this.name = `${of} ${worker}`;
    this.worker = worker;
    this.#faults = by.faults;
    this.#activity = by.activity;
  }

  get state(): 'open' | 'resting' | 'frozen' | 'dead' {
    return this.#state;
  }

  /** How many steps the sandbox has made. */
  get steps(): number {
    return this.#steps;
  }

  /** One step: goes on at once, after a thaw, or never. */
  async pass(points: readonly Point[], when: 'before' | 'after'): Promise<void> {
    this.#activity.count += 1;
    this.#steps += 1;
    const { of, worker } = this;
    const step = { points, when, of, worker, step: this.#steps };
    if (this.#state === 'open') {
      const strike = this.#faults.strike(this, step);
      if (strike === 'crash') this.die();
      if (strike === 'freeze') this.#state = 'frozen';
    }
    while (this.#state !== 'open') await this.#opened();
    this.#activity.count += 1;
  }

  /** An alarm rings now, after a thaw, or never. */
  ring(alarm: () => void): void {
    this.#activity.count += 1;
    if (this.#state === 'open') alarm();
    else if (this.#state !== 'dead') this.#late.push(alarm);
  }

  /** Between two invocations the runtime stands still; what user code left behind goes on in the next one. */
  rest(): void {
    if (this.#state === 'open') this.#state = 'resting';
  }

  wake(): void {
    if (this.#state === 'resting') this.thaw();
  }

  /** Calls that were stopped go on first, alarms after them, as late as they are. */
  thaw(): void {
    if (this.#state === 'dead') return;
    this.#state = 'open';
    this.#activity.count += 1;
    for (const go of this.#waiting.splice(0)) go();
    const late = this.#late.splice(0);
    if (late.length > 0)
      setImmediate(() => {
        for (const alarm of late) this.ring(alarm);
      });
  }

  /** Nothing of this sandbox happens any more. */
  die(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    for (const told of this.#onDeath) told();
    this.#onDeath.clear();
  }

  /** Tells of the sandbox's death, unless the returned function was called first. */
  onDeath(told: () => void): () => void {
    this.#onDeath.add(told);
    return () => {
      this.#onDeath.delete(told);
    };
  }

  #opened(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#state !== 'dead') this.#waiting.push(resolve);
    });
  }
}
