import type { DynamoDBRecord } from 'aws-lambda';
import { marshalled } from '../kernel/attribute-value.ts';
import type { Instant } from '../kernel/brand.ts';
import { sha256 } from '../kernel/sha256.ts';
import { days, later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Key, Row } from '../ports/store.ts';

/** One change of one row. */
export interface RowChange {
  readonly key: Key;
  readonly old: Row | undefined;
  readonly row: Row | undefined;
  /** Removed by the time to live. */
  readonly byService: boolean;
}

/** A run of records in order; a child is read only after its parent has been read to its end. */
export interface Shard {
  readonly id: string;
  readonly parent: string | undefined;
  readonly records: { readonly at: Instant; readonly record: DynamoDBRecord }[];
  closed: boolean;
}

/** How long the service keeps a record. */
const kept = days(1);

/** A table's stream with new and old images: each change once, the changes of one row in order, for 24 hours. */
export class ChangeStream {
  readonly arn: string;
  readonly #clock: Clock;
  readonly #shards: Shard[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #lanes: number;
  #sequence = 0;
  #rolls = 0;

  constructor(table: string, clock: Clock, lanes = 2) {
    this.arn = `arn:aws:dynamodb:local:000000000000:table/${table}/stream/1`;
    this.#clock = clock;
    this.#lanes = lanes;
    this.roll();
  }

  /** Tells when a record was added. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Closes every open shard and opens a child of it, as the service does about every four hours. */
  roll(): void {
    this.#rolls += 1;
    for (let lane = 0; lane < this.#lanes; lane++) {
      const parent = this.#open(lane);
      if (parent !== undefined) parent.closed = true;
      this.#shards.push({
        id: `shard-${this.#rolls}-${lane}`,
        parent: parent?.id,
        records: [],
        closed: false,
      });
    }
  }

  /** The shards that are kept, parents before children. */
  shards(): readonly Shard[] {
    return this.#shards;
  }

  /** Takes away what is older than 24 hours; answers how many records nobody can read any more. */
  trim(): number {
    let trimmed = 0;
    for (const { records } of this.#shards)
      while (records[0] !== undefined && later(records[0].at, kept) < this.#clock.now()) {
        records.shift();
        trimmed += 1;
      }
    return trimmed;
  }

  /** Adds a change, unless nothing changed. */
  append({ key, old, row, byService }: RowChange): void {
    const images = { old: old && marshalled(old), new: row && marshalled(row) };
    if (JSON.stringify(images.old) === JSON.stringify(images.new)) return;
    this.#sequence += 1;
    const at = this.#clock.now();
    const record: DynamoDBRecord = {
      eventID: sha256(`${this.arn} ${this.#sequence}`).slice(0, 32),
      eventName: nameOf(old, row),
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'local',
      eventSourceARN: this.arn,
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(at / 1_000),
        Keys: marshalled({ ...key }),
        ...(images.new === undefined ? {} : { NewImage: images.new }),
        ...(images.old === undefined ? {} : { OldImage: images.old }),
        SequenceNumber: `1${String(this.#sequence).padStart(20, '0')}`,
        SizeBytes: JSON.stringify(images).length,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
      ...(byService
        ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }
        : {}),
    };
    this.#open(Number.parseInt(sha256(key.pk).slice(0, 8), 16) % this.#lanes)?.records.push({
      at,
      record,
    });
    for (const listener of this.#listeners) listener();
  }

  #open(lane: number): Shard | undefined {
    return this.#shards.findLast((shard) => shard.id.endsWith(`-${lane}`));
  }
}

function nameOf(old: Row | undefined, row: Row | undefined): 'INSERT' | 'MODIFY' | 'REMOVE' {
  if (row === undefined) return 'REMOVE';
  return old === undefined ? 'INSERT' : 'MODIFY';
}
