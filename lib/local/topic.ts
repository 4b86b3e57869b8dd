import type { Instant } from '../kernel/brand.ts';
import { later, minutes } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Queue } from './fifo-queue.ts';
import type { Sending } from './queue-message.ts';

/** A FIFO topic in memory: repeats inside five minutes are swallowed, each subscribed queue gets the rest in order. */
export class Topic {
  readonly #clock: Clock;
  readonly #queues: readonly Queue[];
  readonly #seen = new Map<string, Instant>();
  readonly #log: Sending[] = [];

  constructor(clock: Clock, queues: readonly Queue[]) {
    this.#clock = clock;
    this.#queues = queues;
  }

  send(sending: Sending): void {
    this.#log.push(sending);
    const key = `${sending.group} ${sending.dedupId}`;
    const seen = this.#seen.get(key);
    if (seen !== undefined && this.#clock.now() < seen) return;
    this.#seen.set(key, later(this.#clock.now(), minutes(5)));
    for (const queue of this.#queues) queue.send(sending);
  }

  /** What was published, in order, repeats included. */
  published(): readonly Sending[] {
    return this.#log;
  }
}
