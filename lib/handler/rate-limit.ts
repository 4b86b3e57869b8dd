import type { Instant } from '../kernel/brand.ts';
import { between, milliseconds } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';

/** Lets at most so many rows pass in a second, in portions, so that a small table knows nothing of it. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #start: Instant;
  #passed = 0;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#start = clock.now();
  }

  /** Resolves when the next row may be read. */
  async pass(): Promise<void> {
    this.#passed += 1;
    if (this.#passed % this.#portion() !== 0) return;
    const due = (this.#passed * 1_000) / this.#perSecond;
    const early = due - between(this.#start, this.#clock.now());
    if (early >= 1) await this.#clock.sleep(milliseconds(Math.ceil(early)));
  }

  /** A tenth of a second's rows. */
  #portion(): number {
    return Math.max(1, Math.floor(this.#perSecond / 10));
  }
}
