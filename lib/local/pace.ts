import { realClock } from '../handler/real-clock.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { later, milliseconds, seconds } from '../kernel/time.ts';
import type { HandClock } from './hand-clock.ts';
import { openHandles, openResources } from './open-resources.ts';

/** Rises whenever something happens on the laptop; standing still is how idleness is seen. */
export interface Activity {
  count: number;
}

/** How long a handler that waits for the real world is waited for: while the process has something open, and otherwise. */
const patience = { open: seconds(30), closed: milliseconds(150) } as const;

/**
 * Moves a hand-moved clock only while nothing can happen without it: handlers that work, or wait for the disk or the
 * network, are waited for in real time; those that sleep, are frozen, or wait for nothing at all are not.
 */
export class Pace {
  readonly #clock: HandClock;
  readonly #activity: Activity;
  readonly #isBusy: () => boolean;
  /** What was open before, and is not waited for; a timer may end at any time, so that none is taken for granted. */
  #open = openHandles();

  constructor(clock: HandClock, activity: Activity, isBusy: () => boolean) {
    this.#clock = clock;
    this.#activity = activity;
    this.#isBusy = isBusy;
  }

  /** Moves time, and runs what falls due on the way. */
  async forward(by: Duration): Promise<void> {
    const until = later(this.#clock.now(), by);
    do await this.idle();
    while (this.#clock.step(until));
    await this.idle();
  }

  /** Moves to the next thing that falls due; to `until`, and answers false, when nothing does by then. */
  async next(until: Instant): Promise<boolean> {
    await this.idle();
    return this.#clock.step(until);
  }

  /** Waits until nothing more happens at this point in time. */
  async idle(): Promise<void> {
    do await this.#drained();
    while (this.#isBusy() && (await this.#stirs()));
  }

  /** Lets everything run that waits for no clock and no outside. */
  async #drained(): Promise<void> {
    let seen: number;
    do {
      seen = this.#activity.count;
      await turn();
      await turn();
    } while (seen !== this.#activity.count);
  }

  /** Whether a busy handler goes on within our patience. */
  async #stirs(): Promise<boolean> {
    const seen = this.#activity.count;
    const since = realClock.now();
    for (;;) {
      await realClock.sleep(milliseconds(1));
      if (this.#activity.count !== seen || !this.#isBusy()) return true;
      const open = openResources();
      const wait = open > this.#open ? patience.open : patience.closed;
      if (realClock.now() - since <= wait) continue;
      // What was waited for in vain once is not waited for again.
      this.#open = Math.max(this.#open, open);
      return false;
    }
  }
}

/** One round of the event loop, with all that it makes ready. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
