import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { Duration, Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { later, nothing, seconds, spoken } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPlan } from './faults.ts';
import type { Queue } from './fifo-queue.ts';
import type { Fleet } from './fleet.ts';

/** What a mapping reads, and what it calls. */
export interface QueueMappingSettings {
  readonly queue: Queue;
  readonly fleet: Pick<Fleet<SQSEvent>, 'free' | 'invoke' | 'close'>;
  /** How long the function may run; a queue that hides its messages for less is refused, as Lambda refuses it. */
  readonly functionTimeout: Duration;
  readonly clock: Clock;
  readonly faults?: FaultPlan;
  /** @default 10, the most of a FIFO queue */
  readonly batchSize?: number;
  /** Invocations side by side. @default as many as sandboxes are free */
  readonly maximumConcurrency?: number;
  /** Lambda knows none on a FIFO queue, so only nothing is accepted. @default none */
  readonly batchingWindow?: Duration;
  /** Whether failures are read per record. @default true */
  readonly reportBatchItemFailures?: boolean;
  /** What doesn't match is deleted unseen, as Lambda does. @default all match */
  readonly filter?: (record: SQSRecord) => boolean;
}

/** After a function error Lambda calls with less at once, for a while. */
const slowdown = seconds(30);

/**
 * The event source mapping of a queue, as Lambda runs it: batches of several groups, side by side over disjoint groups,
 * what the response doesn't name is deleted, and what it names stays hidden until its visibility timeout ends.
 */
export class QueueMapping {
  readonly #settings: QueueMappingSettings;
  readonly #stopListening: () => void;
  readonly #wakes = new Set<() => void>();
  #running = 0;
  #slowUntil: Instant | undefined;
  #pausedUntil: Instant | undefined;
  #planned = false;
  #stopped = false;

  constructor(settings: QueueMappingSettings) {
    checkMapping(settings);
    this.#settings = settings;
    this.#stopListening = settings.queue.listen(() => this.poke());
  }

  /** Whether nothing is under way. */
  isIdle(): boolean {
    return this.#running === 0;
  }

  /** Looks for work soon: something may be receivable, or a sandbox is free. */
  poke(): void {
    if (this.#planned || this.#stopped) return;
    this.#planned = true;
    this.#wakeAt(this.#settings.clock.now(), () => {
      this.#planned = false;
      this.#look();
    });
  }

  /** Receives nothing until then. */
  pause(until: Instant): void {
    this.#pausedUntil = until;
    this.#wakeAt(until, () => this.poke());
  }

  /** Receives nothing more, and ends what its function is at. */
  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    for (const cancel of this.#wakes) cancel();
    this.#wakes.clear();
    this.#settings.fleet.close();
  }

  #look(): void {
    const { queue, fleet, clock, batchSize = 10 } = this.#settings;
    if (this.#stopped || (this.#pausedUntil !== undefined && clock.now() < this.#pausedUntil))
      return;
    while (this.#running < this.#most() && fleet.free() > 0 && queue.hasWork()) {
      const records = this.#matching(queue.receive(batchSize));
      if (records.length > 0 && !this.#isThrottled()) void this.#batch(records);
    }
  }

  /** Lambda receives also while its function is throttled: the messages pay a receive, and nobody runs. */
  #isThrottled(): boolean {
    return this.#settings.faults?.isOut('lambda') === true;
  }

  #most(): number {
    const { maximumConcurrency = Number.POSITIVE_INFINITY, clock } = this.#settings;
    const slow = this.#slowUntil !== undefined && clock.now() < this.#slowUntil;
    return slow ? 1 : maximumConcurrency;
  }

  #matching(records: readonly SQSRecord[]): readonly SQSRecord[] {
    const { filter = () => true } = this.#settings;
    const matching = records.filter(filter);
    this.#delete(records.filter((record) => !matching.includes(record)));
    return matching;
  }

  async #batch(records: readonly SQSRecord[]): Promise<void> {
    const { fleet, clock, reportBatchItemFailures = true } = this.#settings;
    this.#running += 1;
    try {
      const response = await fleet.invoke({ Records: structuredClone([...records]) });
      const kept = reportBatchItemFailures ? keptBy(response, records) : new Set<string>();
      this.#delete(records.filter(({ messageId }) => !kept.has(messageId)));
    } catch {
      this.#slowUntil = later(clock.now(), slowdown);
      this.#wakeAt(this.#slowUntil, () => this.poke());
    } finally {
      this.#running -= 1;
      this.poke();
    }
  }

  /** What can't be deleted comes back: in an outage, or where its deletion is lost on demand. */
  #delete(records: readonly SQSRecord[]): void {
    const { queue, faults } = this.#settings;
    if (faults?.isOut('sqs')) return;
    for (const { receiptHandle } of records)
      if (!faults?.deliversTwice(queue.name)) queue.delete(receiptHandle);
  }

  #wakeAt(at: Instant, act: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#settings.clock.alarm(at, () => {
      this.#wakes.delete(cancel);
      act();
    });
    this.#wakes.add(cancel);
  }
}

/**
 * Which messages a response keeps, as Lambda reads it: those that it names; nothing named is success; an identifier that
 * is empty, missing or unknown, and a response that isn't an object, keep the whole batch.
 */
export function keptBy(response: unknown, records: readonly SQSRecord[]): ReadonlySet<string> {
  const all = new Set(records.map(({ messageId }) => messageId));
  if (response === null || response === undefined) return new Set();
  if (typeof response !== 'object' || Array.isArray(response)) return all;
  const named: unknown = Reflect.get(response, 'batchItemFailures');
  if (named === null || named === undefined) return new Set();
  if (!Array.isArray(named)) return all;
  const ids = named.map((item: unknown) =>
    typeof item === 'object' && item !== null ? Reflect.get(item, 'itemIdentifier') : undefined,
  );
  return ids.every((id) => all.has(id)) ? new Set<string>(ids) : all;
}

function checkMapping(settings: QueueMappingSettings): void {
  const { queue, functionTimeout, batchSize = 10, maximumConcurrency, batchingWindow } = settings;
  const rules = [
    {
      holds: isWhole(batchSize, 1, 10),
      sentence: `a batch of a FIFO queue has 1 to 10 messages, got ${batchSize}`,
    },
    {
      holds: maximumConcurrency === undefined || isWhole(maximumConcurrency, 2, 1_000),
      sentence: `the maximum concurrency of a mapping lies between 2 and 1000, got ${maximumConcurrency}`,
    },
    {
      holds: batchingWindow === undefined || batchingWindow === nothing,
      sentence: `a FIFO queue takes no batching window, got ${batchingWindow} ms`,
    },
    {
      holds: queue.visibilityTimeout >= functionTimeout,
      sentence: `queue ${queue.name} hides its messages for ${spoken(queue.visibilityTimeout)}, which must not be less than its function's timeout of ${spoken(functionTimeout)}`,
    },
  ];
  for (const { holds, sentence } of rules) if (!holds) throw permanent('mapping-invalid', sentence);
}

const isWhole = (count: number, from: number, to: number): boolean =>
  Number.isSafeInteger(count) && count >= from && count <= to;
