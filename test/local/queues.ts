import type { SQSRecord } from 'aws-lambda';
import type { Duration } from '../../lib/kernel/brand.ts';
import { later, minutes } from '../../lib/kernel/time.ts';
import { Queue, type QueueSettings } from '../../lib/local/fifo-queue.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { at } from '../job/rows.ts';

/** A queue that hides for a minute, with its own clock; `A1` is the first message of group A. */
export function aQueue({ seed = 1, ...over }: Partial<QueueSettings> & { seed?: number } = {}) {
  const clock = over.clock instanceof HandClock ? over.clock : new HandClock(at(0));
  const random = over.random ?? new SeededRandom(seed, clock);
  const settings = { name: 'queue.fifo', visibilityTimeout: minutes(1), ...over, clock, random };
  const queue = new Queue(settings);
  return {
    queue,
    clock,
    random,
    send: (...names: readonly string[]): void => {
      for (const name of names) queue.send(sending(name));
    },
    receive: (count = 10): readonly SQSRecord[] => queue.receive(count),
    /** The bodies of what a receive gives. */
    bodies: (count = 10): readonly string[] => queue.receive(count).map(({ body }) => body),
    counts: (): Readonly<Record<string, number>> =>
      Object.fromEntries(queue.messages().map(({ body, receiveCount }) => [body, receiveCount])),
  };
}

/** What is sent under a name: its letter is the group. */
export const sending = (name: string) => ({
  body: name,
  group: name[0] ?? 'A',
  dedupId: `dedup-${name}`,
});

/** Moves time, and rings what falls due on the way. */
export function passes(clock: HandClock, by: Duration): void {
  const until = later(clock.now(), by);
  while (clock.step(until));
}

/** The handle of the only record with this body. */
export function handleOf(records: readonly SQSRecord[], body: string): string {
  const found = records.filter((record) => record.body === body);
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`${found.length} records have the body ${body}`);
  return found[0].receiptHandle;
}
