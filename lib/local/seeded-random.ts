import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { ulid } from 'ulid';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';

/** Chance that repeats itself: the same seed and the same calls give the same answers. */
export class SeededRandom implements Random {
  readonly #clock: Clock;
  readonly #generator: ReturnType<typeof xoroshiro128plus>;

  constructor(seed: number, clock: Clock) {
    this.#clock = clock;
    this.#generator = xoroshiro128plus(seed);
  }

  fraction(): number {
    return (this.#generator.next() >>> 0) / 2 ** 32;
  }

  ulid(): string {
    return ulid(this.#clock.now(), () => this.fraction());
  }

  /** One of `all`, by chance. */
  oneOf<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.fraction() * all.length)];
  }
}
