import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Duration, Instant } from '../kernel/brand.ts';
import { later, milliseconds, seconds, shorter, times } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChangeStream } from './change-stream.ts';
import { checkpoint } from './checkpoint.ts';
import type { Placed, Shard } from './shard.ts';

/** What a mapping reads, and what it calls. */
export interface StreamMappingSettings {
  readonly stream: ChangeStream;
  readonly fleet: { invoke(event: DynamoDBStreamEvent): Promise<unknown> };
  readonly clock: Clock;
  /** Records that don't match are passed over. @default all match */
  readonly filter?: (record: DynamoDBRecord) => boolean;
  /** @default 100, as Lambda */
  readonly batchSize?: number;
  /** Whether a failed batch comes back by halves, so that what is good goes on. @default false, as Lambda */
  readonly bisect?: boolean;
}

/** How often Lambda looks into a shard, and how long it pauses at most after errors. */
const pauses = { poll: milliseconds(250), most: seconds(30) } as const;

/** What an event may carry, in bytes. */
const payload = 6 * 1024 * 1024;

/** How far a shard has been read, and how that goes. */
interface Reading {
  position: number;
  failures: number;
  /** How many records the next batch has at most. */
  most: number;
  isBusy: boolean;
}

/**
 * The event source mapping of a table's stream, as Lambda runs it with partial responses: shard by shard one batch at a
 * time, from the oldest record on, parents before children; a failed batch comes back from its checkpoint, for ever.
 */
export class StreamMapping {
  readonly #settings: StreamMappingSettings;
  readonly #readings = new Map<Shard, Reading>();
  readonly #wakes = new Set<() => void>();
  readonly #stopListening: () => void;
  #pausedUntil: Instant | undefined;
  #stopped = false;
  #lost = 0;

  constructor(settings: StreamMappingSettings) {
    this.#settings = settings;
    this.#stopListening = settings.stream.listen(() => this.#look());
    this.#look();
  }

  /** How many records grew older than 24 hours before they were read. */
  get lost(): number {
    return this.#lost;
  }

  /** Whether everything has been read and nothing is under way. */
  isIdle(): boolean {
    return this.#settings.stream.shards().every((shard) => this.#isRead(shard));
  }

  /** Reads nothing until then, as in an outage of the stream or with the mapping switched off; of several the longest counts. */
  pause(until: Instant): void {
    if (this.#pausedUntil !== undefined && until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#wakeAt(until, () => this.#look());
  }

  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    for (const cancel of this.#wakes) cancel();
  }

  #look(): void {
    if (this.#stopped || this.#isPaused()) return;
    this.#settings.stream.trim();
    for (const shard of this.#settings.stream.shards()) {
      const reading = this.#readingOf(shard);
      if (reading.isBusy) continue;
      this.#catchUp(shard, reading);
      if (!shard.endsAt(reading.position) && this.#mayBeRead(shard)) this.#begin(shard, reading);
    }
  }

  #begin(shard: Shard, reading: Reading): void {
    reading.isBusy = true;
    this.#wakeAt(later(this.#settings.clock.now(), pauseAfter(reading.failures)), () => {
      void this.#turn(shard, reading);
    });
  }

  async #turn(shard: Shard, reading: Reading): Promise<void> {
    if (!this.#isPaused()) await this.#batch(shard, reading);
    reading.isBusy = false;
    this.#look();
  }

  async #batch(shard: Shard, reading: Reading): Promise<void> {
    this.#settings.stream.trim();
    this.#catchUp(shard, reading);
    const batch = fitting(shard.from(reading.position, reading.most));
    this.#settle(reading, batch, await this.#failed(batch));
  }

  /** The first record that comes back, with all after it; undefined when none does. */
  async #failed(batch: readonly Placed[]): Promise<Placed | undefined> {
    const { fleet, filter = () => true } = this.#settings;
    const matching = batch.filter(({ record }) => filter(record));
    if (matching.length === 0) return undefined;
    const records = matching.map(({ record }) => record);
    try {
      const at = checkpoint(await fleet.invoke({ Records: structuredClone(records) }), records);
      return at === undefined ? undefined : matching[at];
    } catch {
      return matching[0];
    }
  }

  #settle(reading: Reading, batch: readonly Placed[], failed: Placed | undefined): void {
    const { batchSize = 100, bisect = false } = this.#settings;
    if (failed === undefined) {
      reading.position = Math.max(reading.position, (batch.at(-1)?.n ?? -1) + 1);
      reading.failures = 0;
      reading.most = batchSize;
      return;
    }
    const done = batch.indexOf(failed);
    reading.position = failed.n;
    reading.failures = done > 0 ? 1 : Math.min(10, reading.failures + 1);
    reading.most = bisect ? Math.ceil((batch.length - done) / 2) : batchSize;
  }

  /** Goes on behind what was trimmed before it was read. */
  #catchUp(shard: Shard, reading: Reading): void {
    if (reading.position >= shard.first) return;
    this.#lost += shard.first - reading.position;
    reading.position = shard.first;
  }

  #readingOf(shard: Shard): Reading {
    const { batchSize = 100 } = this.#settings;
    const known = this.#readings.get(shard);
    const reading = known ?? { position: 0, failures: 0, most: batchSize, isBusy: false };
    this.#readings.set(shard, reading);
    return reading;
  }

  #isRead(shard: Shard): boolean {
    const { isBusy, position } = this.#readingOf(shard);
    return !isBusy && shard.endsAt(position);
  }

  /** A child waits for all its forebears, since one without records says nothing of those before it. */
  #mayBeRead({ parent }: Shard): boolean {
    return parent === undefined || (this.#isRead(parent) && this.#mayBeRead(parent));
  }

  #isPaused(): boolean {
    return this.#pausedUntil !== undefined && this.#settings.clock.now() < this.#pausedUntil;
  }

  #wakeAt(at: Instant, act: () => void): void {
    const cancel = this.#settings.clock.alarm(at, () => {
      this.#wakes.delete(cancel);
      if (!this.#stopped) act();
    });
    this.#wakes.add(cancel);
  }
}

const pauseAfter = (failures: number): Duration =>
  failures === 0 ? pauses.poll : shorter(pauses.most, times(seconds(1), 2 ** failures));

/** As much of a batch as one event carries, and one record at least. */
function fitting(batch: readonly Placed[]): readonly Placed[] {
  let size = 0;
  const fits = batch.filter(({ record }) => {
    size += record.dynamodb?.SizeBytes ?? 0;
    return size <= payload;
  });
  return batch.slice(0, Math.max(1, fits.length));
}
