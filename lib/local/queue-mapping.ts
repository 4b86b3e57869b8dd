import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { later, seconds } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPlan } from './faults.ts';
import type { Queue } from './fifo-queue.ts';

/** What a mapping reads, and what it calls. */
export interface QueueMappingSettings {
  readonly queue: Queue;
  readonly fleet: { free(): number; invoke(event: SQSEvent): Promise<unknown> };
  readonly clock: Clock;
  readonly faults?: FaultPlan;
  /** @default 10, the most of a FIFO queue */
  readonly batchSize?: number;
  /** Invocations side by side. @default as many as sandboxes are free */
  readonly maximumConcurrency?: number;
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
    const { clock } = this.#settings;
    clock.alarm(clock.now(), () => {
      this.#planned = false;
      this.#look();
    });
  }

  /** Receives nothing until then. */
  pause(until: Instant): void {
    this.#pausedUntil = until;
    this.#settings.clock.alarm(until, () => this.poke());
  }

  stop(): void {
    this.#stopped = true;
    this.#stopListening();
  }

  #look(): void {
    const { queue, fleet, clock, batchSize = 10 } = this.#settings;
    if (this.#stopped || (this.#pausedUntil !== undefined && clock.now() < this.#pausedUntil))
      return;
    while (this.#running < this.#most() && fleet.free() > 0 && queue.hasWork()) {
      const records = this.#matching(queue.receive(batchSize));
      if (records.length > 0) void this.#batch(records);
    }
  }

  #most(): number {
    const { maximumConcurrency = Number.POSITIVE_INFINITY, clock } = this.#settings;
    const slow = this.#slowUntil !== undefined && clock.now() < this.#slowUntil;
    return slow ? 1 : maximumConcurrency;
  }

  #matching(records: readonly SQSRecord[]): readonly SQSRecord[] {
    const { filter = () => true, queue } = this.#settings;
    const matching = records.filter(filter);
    for (const record of records)
      if (!matching.includes(record)) queue.delete(record.receiptHandle);
    return matching;
  }

  async #batch(records: readonly SQSRecord[]): Promise<void> {
    const { queue, fleet, clock, faults, reportBatchItemFailures = true } = this.#settings;
    this.#running += 1;
    try {
      const response = await fleet.invoke({ Records: structuredClone([...records]) });
      const kept = reportBatchItemFailures ? keptBy(response, records) : new Set<string>();
      for (const { messageId, receiptHandle } of records)
        if (!kept.has(messageId) && !faults?.deliversTwice(queue.name)) queue.delete(receiptHandle);
    } catch {
      this.#slowUntil = later(clock.now(), slowdown);
      clock.alarm(this.#slowUntil, () => this.poke());
    } finally {
      this.#running -= 1;
      this.poke();
    }
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

function checkMapping({ batchSize = 10, maximumConcurrency }: QueueMappingSettings): void {
  if (!Number.isSafeInteger(batchSize) || batchSize < 1 || batchSize > 10)
    throw permanent(
      'mapping-invalid',
      `a batch of a FIFO queue has 1 to 10 messages, got ${batchSize}`,
    );
  if (maximumConcurrency !== undefined && (maximumConcurrency < 2 || maximumConcurrency > 1_000))
    throw permanent(
      'mapping-invalid',
      `the maximum concurrency of a mapping lies between 2 and 1000, got ${maximumConcurrency}`,
    );
}
