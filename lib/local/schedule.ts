import type { Duration } from '../kernel/brand.ts';
import { later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';

/** What a schedule calls. */
export interface Called {
  free(): number;
  invoke(event: Record<string, never>): Promise<unknown>;
}

/** Calls a function again and again, whatever becomes of the calls before, unless it has no worker left. */
export class Schedule {
  readonly #clock: Clock;
  readonly #every: Duration;
  readonly #called: Called;
  #cancel: () => void = () => {};

  constructor(clock: Clock, every: Duration, called: Called) {
    this.#clock = clock;
    this.#every = every;
    this.#called = called;
    this.#later();
  }

  stop(): void {
    this.#cancel();
  }

  #later(): void {
    this.#cancel = this.#clock.alarm(later(this.#clock.now(), this.#every), () => {
      this.#later();
      if (this.#called.free() > 0) this.#called.invoke({}).catch(() => {});
    });
  }
}
