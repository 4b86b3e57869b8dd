import type { Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { messageSize } from '../kernel/message-size.ts';
import { sizes } from '../kernel/settings.ts';
import { later, minutes } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Queue } from './fifo-queue.ts';
import { checkSending, type Sending } from './queue-message.ts';

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

  /** Accepts a message, or a repeat of one. @throws Failure for what SNS would refuse; then nothing of it is remembered */
  send(sending: Sending): void {
    checkSending(sending, true);
    checkSize(sending);
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

function checkSize(sending: Sending): void {
  const size = messageSize(sending);
  if (size > sizes.topicMessage)
    throw permanent(
      'message-size-invalid',
      `a topic takes at most ${sizes.topicMessage} bytes, got ${size}`,
    );
}
