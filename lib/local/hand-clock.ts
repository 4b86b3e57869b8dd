import type { Duration, Instant } from '../kernel/brand.ts';
import { later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';

interface Alarm {
  readonly at: Instant;
  readonly ring: () => void;
  isCancelled: boolean;
}

/** A clock that stands still until it is moved; what falls due rings one at a time, in order of time, then of setting. */
export class HandClock implements Clock {
  #now: Instant;
  /** By time, then by setting; cancelled ones go when their turn comes. */
  readonly #alarms: Alarm[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  alarm(at: Instant, ring: () => void): () => void {
    const alarm = { at, ring, isCancelled: false };
    this.#alarms.splice(this.#placeFor(at), 0, alarm);
    return () => {
      alarm.isCancelled = true;
    };
  }

  async sleep(length: Duration, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const awake = new AbortController();
    await new Promise<void>((wake) => {
      const cancel = this.alarm(later(this.#now, length), wake);
      const early = () => {
        cancel();
        wake();
      };
      signal?.addEventListener('abort', early, { once: true, signal: awake.signal });
    });
    awake.abort();
  }

  /** When the next alarm falls due. */
  next(): Instant | undefined {
    return this.#first()?.at;
  }

  /** Moves to the next alarm and rings it, if it falls due by `until`; else moves to `until`. Answers whether one rang. */
  step(until: Instant): boolean {
    const alarm = this.#first();
    if (alarm === undefined || alarm.at > until) {
      this.#now = Math.max(this.#now, until) as Instant;
      return false;
    }
    this.#alarms.shift();
    this.#now = Math.max(this.#now, alarm.at) as Instant;
    alarm.ring();
    return true;
  }

  #first(): Alarm | undefined {
    while (this.#alarms[0]?.isCancelled) this.#alarms.shift();
    return this.#alarms[0];
  }

  /** Behind every alarm that rings no later. */
  #placeFor(at: Instant): number {
    let from = 0;
    let to = this.#alarms.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#alarms[middle]?.at ?? at) <= at) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
