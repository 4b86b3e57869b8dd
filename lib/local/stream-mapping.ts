import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import { later, milliseconds, seconds, shorter, times } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChangeStream, Shard } from './change-stream.ts';

/** What a mapping reads, and what it calls. */
export interface StreamMappingSettings {
  readonly stream: ChangeStream;
  readonly fleet: { invoke(event: DynamoDBStreamEvent): Promise<unknown> };
  readonly clock: Clock;
  /** Records that don't match are passed over. @default all match */
  readonly filter?: (record: DynamoDBRecord) => boolean;
  /** @default 100, as Lambda */
  readonly batchSize?: number;
}

/** How often Lambda looks into a shard, and how long it pauses at most after errors. */
const pauses = { poll: milliseconds(250), most: seconds(30) } as const;

/**
 * The event source mapping of a table's stream, as Lambda runs it with partial responses: shard by shard one batch at a
 * time, from the oldest record on, parents before children; a failed batch comes back from its checkpoint, for ever.
 */
export class StreamMapping {
  readonly #settings: StreamMappingSettings;
  readonly #busy = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #wakes = new Set<() => void>();
  readonly #stopListening: () => void;
  #pausedUntil: Instant | undefined;
  #stopped = false;
  /** Records that grew older than 24 hours before they were read: lost to the stream. */
  lost = 0;

  constructor(settings: StreamMappingSettings) {
    this.#settings = settings;
    this.#stopListening = settings.stream.listen(() => this.#look());
  }

  /** Whether everything has been read and nothing is under way. */
  isIdle(): boolean {
    return (
      this.#busy.size === 0 &&
      this.#settings.stream.shards().every(({ records }) => records.length === 0)
    );
  }

  /** Reads nothing until then, as in an outage of the stream or with the mapping switched off. */
  pause(until: Instant): void {
    this.#pausedUntil = until;
    this.#wakeAt(until);
  }

  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    for (const cancel of this.#wakes) cancel();
  }

  #look(): void {
    const { stream, clock } = this.#settings;
    if (this.#stopped || (this.#pausedUntil !== undefined && clock.now() < this.#pausedUntil))
      return;
    this.lost += stream.trim();
    for (const shard of stream.shards())
      if (shard.records.length > 0 && !this.#busy.has(shard.id) && this.#parentIsRead(shard))
        this.#begin(shard);
  }

  #begin(shard: Shard): void {
    this.#busy.add(shard.id);
    const failures = this.#failures.get(shard.id) ?? 0;
    const pause =
      failures === 0 ? pauses.poll : shorter(pauses.most, times(seconds(1), 2 ** failures));
    this.#wakeAt(later(this.#settings.clock.now(), pause), () => void this.#batch(shard));
  }

  async #batch(shard: Shard): Promise<void> {
    const { batchSize = 100, filter = () => true, fleet } = this.#settings;
    const batch = shard.records.slice(0, batchSize).map(({ record }) => record);
    const matching = batch.filter(filter);
    const failed = matching.length === 0 ? undefined : await this.#invoke(fleet, matching);
    const done = failed === undefined ? batch.length : batch.indexOf(failed);
    shard.records.splice(0, done);
    if (failed === undefined) this.#failures.delete(shard.id);
    else
      this.#failures.set(
        shard.id,
        done > 0 ? 1 : Math.min(10, (this.#failures.get(shard.id) ?? 0) + 1),
      );
    this.#busy.delete(shard.id);
    this.#look();
  }

  /** The first record that comes back, with all after it; undefined when none does. */
  async #invoke(
    fleet: StreamMappingSettings['fleet'],
    records: readonly DynamoDBRecord[],
  ): Promise<DynamoDBRecord | undefined> {
    const event: DynamoDBStreamEvent = { Records: structuredClone([...records]) };
    try {
      const position = checkpoint(await fleet.invoke(event), records);
      return position === undefined ? undefined : records[position];
    } catch {
      return records[0];
    }
  }

  #parentIsRead({ parent }: Shard): boolean {
    const above = this.#settings.stream.shards().find(({ id }) => id === parent);
    return (
      above === undefined ||
      (above.closed && above.records.length === 0 && !this.#busy.has(above.id))
    );
  }

  #wakeAt(at: Instant, act: () => void = () => this.#look()): void {
    const cancel = this.#settings.clock.alarm(at, () => {
      this.#wakes.delete(cancel);
      if (!this.#stopped) act();
    });
    this.#wakes.add(cancel);
  }
}

/**
 * Where a batch comes back from, as Lambda reads a partial response: the lowest sequence number named. Nothing named is
 * success; an identifier that is empty, missing or unknown is the whole batch's failure.
 */
export function checkpoint(
  response: unknown,
  records: readonly DynamoDBRecord[],
): number | undefined {
  if (response === null || response === undefined) return undefined;
  const named = typeof response === 'object' ? Reflect.get(response, 'batchItemFailures') : [''];
  if (named === null || named === undefined) return undefined;
  if (!Array.isArray(named)) return 0;
  const positions = named.map((item: unknown) =>
    records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === identifierOf(item)),
  );
  if (positions.length === 0) return undefined;
  return Math.max(0, Math.min(...positions));
}

const identifierOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? Reflect.get(item, 'itemIdentifier') : item;
