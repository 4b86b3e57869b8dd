import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { realClock } from '../../lib/handler/real-clock.ts';
import type { Duration, Instant } from '../../lib/kernel/brand.ts';
import type { Happening } from '../../lib/kernel/happening.ts';
import { tables, targets } from '../../lib/kernel/settings.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Entry, Sender } from '../../lib/ports/sender.ts';
import type { Hiding, Visibility } from '../../lib/ports/visibility.ts';
import type { World } from '../../lib/ports/world.ts';

export const fifoQueue = 'arn:aws:sqs:eu-central-1:000000000000:orders.fifo';
export const standardQueue = 'arn:aws:sqs:eu-central-1:000000000000:orders';

/** A record named like `A1`: the letter is its group, the whole its id; what is given replaces the usual. */
export function record(name: string, given: RecordParts = {}): SQSRecord {
  const { receives = 1, sentAt = 0, queue = fifoQueue, body = JSON.stringify({ name }) } = given;
  return {
    messageId: given.id ?? name,
    receiptHandle: `handle-${name}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      ApproximateFirstReceiveTimestamp: String(sentAt),
      SenderId: 'sender',
      MessageDeduplicationId: name,
      SequenceNumber: name.slice(1).padStart(20, '0'),
      ...(given.group === null ? {} : { MessageGroupId: given.group ?? name.slice(0, 1) }),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: queue,
    awsRegion: 'eu-central-1',
  };
}

export interface RecordParts {
  readonly id?: string;
  readonly receives?: number;
  readonly sentAt?: number;
  readonly queue?: string;
  readonly body?: string;
  readonly group?: string | null;
}

/** A batch of a FIFO queue, in the order named. */
export const batch = (...names: string[]): SQSEvent => ({
  Records: names.map((name) => record(name)),
});

/** Lambda's context with so many milliseconds left. */
export const left = (remaining: number): Context =>
  ({ getRemainingTimeInMillis: () => remaining, awsRequestId: 'r-1' }) as Context;

/** A context that knows no deadline. */
export const endless = {} as Context;

/** The ids that a response keeps in the queue. */
export const kept = ({ batchItemFailures }: SQSBatchResponse): string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

/** A visibility that remembers what it was asked, and answers as told. */
export class Hidden implements Visibility {
  readonly calls: { readonly queue: string; readonly entries: readonly Hiding[] }[] = [];
  readonly #answer: () => Promise<'hidden' | 'lost' | 'outage'>;

  constructor(answer: () => Promise<'hidden' | 'lost' | 'outage'> = async () => 'hidden') {
    this.#answer = answer;
  }

  async hide(queue: string, entries: readonly Hiding[]) {
    this.calls.push({ queue, entries });
    const answer = await this.#answer();
    return entries.map(() => answer);
  }

  /** Milliseconds by the name of the record. */
  get lengths(): Record<string, number> {
    const all = this.calls.flatMap(({ entries }) => entries);
    return Object.fromEntries(
      all.map(({ handle, length }) => [handle.slice('handle-'.length), length]),
    );
  }
}

/** A world for queues alone, in which failures are counted and dead letters are kept; it has no bucket. */
export class QueueWorld implements World {
  readonly store = new MemoryStore({ [tables.care]: {}, own: {} });
  readonly sent: { readonly target: string; readonly entry: Entry }[] = [];
  readonly sender: Sender = {
    knows: (target) => target === targets.deadLetters,
    send: async (target, entries) => {
      this.sent.push(...entries.map((entry) => ({ target, entry })));
      return entries.map(() => ({ kind: 'sent' }));
    },
  };
  readonly clock: Clock;
  readonly visibility: Hidden;
  readonly random: World['random'];
  readonly told: Happening[] = [];

  constructor(
    clock: Clock = realClock,
    given: { readonly visibility?: Hidden; readonly random?: World['random'] } = {},
  ) {
    this.clock = clock;
    this.visibility = given.visibility ?? new Hidden();
    this.random = given.random ?? new SeededRandom(7, clock);
  }

  readonly observe = (happening: Happening): void => {
    this.told.push(happening);
  };
  get bucket(): never {
    return untouched('bucket');
  }

  /** What was told, as `kind id`. */
  get log(): string[] {
    return this.told.map((told) => `${told.kind} ${'messageId' in told ? told.messageId : ''}`);
  }
}

const untouched = (part: string): never => {
  throw new Error(`a queue needs no ${part}`);
};

/** Chance that always falls on the longest wait. */
export const longest: World['random'] = { fraction: () => 1 - Number.EPSILON, ulid: () => '' };

/** A clock moved by hand, and its lengths as plain milliseconds. */
export const handClock = (start = 0): HandClock => new HandClock(start as Instant);

export const ms = (length: number): Duration => length as Duration;

/** Lets run whatever waits for no clock. */
export const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Moves a clock, letting run what falls due on the way. */
export async function until(clock: HandClock, moment: number): Promise<void> {
  do await idle();
  while (clock.step(moment as Instant));
  await idle();
}
