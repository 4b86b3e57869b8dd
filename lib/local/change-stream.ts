import type { DynamoDBRecord } from 'aws-lambda';
import { marshalled } from '../kernel/attribute-value.ts';
import type { Instant } from '../kernel/brand.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { canonical } from '../kernel/json.ts';
import { sha256 } from '../kernel/sha256.ts';
import { days } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Key, Row } from '../ports/store.ts';
import { Shard } from './shard.ts';

/** One change of one row. */
export interface RowChange {
  readonly key: Key;
  readonly old: Row | undefined;
  readonly row: Row | undefined;
  /** Removed by the time to live. */
  readonly byService: boolean;
}

/** How long the service keeps a record. */
const kept = days(1);

/**
 * A table's stream with new and old images: each change once, the changes of one row in order, for 24 hours. Readers
 * keep their own positions, so that several may read it.
 */
export class ChangeStream {
  /** Names the table and when the stream was switched on, so that a table's next stream has another. */
  readonly arn: string;
  readonly #clock: Clock;
  readonly #shards: Shard[] = [];
  readonly #open: (Shard | undefined)[];
  readonly #listeners = new Set<() => void>();
  #sequence = 0;
  #rolls = 0;

  constructor(table: string, clock: Clock, lanes = 2) {
    const label = isoTime(clock.now()).replace('Z', '');
    this.arn = `arn:aws:dynamodb:local:000000000000:table/${table}/stream/${label}`;
    this.#clock = clock;
    this.#open = new Array<undefined>(lanes).fill(undefined);
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
    for (const [lane, parent] of this.#open.entries()) {
      parent?.close();
      const child = new Shard(`shard-${this.#rolls}-${lane}`, parent);
      this.#open[lane] = child;
      this.#shards.push(child);
    }
  }

  /** Takes no change any more, as a stream that was switched off; what it has stays readable for its 24 hours. */
  close(): void {
    for (const shard of this.#open) shard?.close();
    this.#open.fill(undefined);
  }

  /** All shards, parents before children. */
  shards(): readonly Shard[] {
    return this.#shards;
  }

  /** Takes away what is older than 24 hours. */
  trim(): void {
    const before = (this.#clock.now() - kept) as Instant;
    for (const shard of this.#shards) shard.trim(before);
  }

  /** Adds a change, unless nothing changed. */
  append(change: RowChange): void {
    const shard = this.#open[laneOf(change.key, this.#open.length)];
    const images = imagesOf(change);
    if (shard === undefined || images === undefined) return;
    this.#sequence += 1;
    const at = this.#clock.now();
    shard.append(at, {
      eventID: sha256(`${this.arn} ${this.#sequence}`).slice(0, 32),
      eventName: nameOf(change),
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'local',
      eventSourceARN: this.arn,
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(at / 1_000),
        Keys: marshalled({ ...change.key }),
        ...images,
        SequenceNumber: `1${String(this.#sequence).padStart(20, '0')}`,
        SizeBytes: JSON.stringify(images).length,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
      ...(change.byService ? { userIdentity: service } : {}),
    });
    for (const listener of this.#listeners) listener();
  }
}

/** Who removes rows by their time to live. */
const service = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

type Images = Pick<NonNullable<DynamoDBRecord['dynamodb']>, 'NewImage' | 'OldImage'>;

/** Undefined where nothing changed: a write of the same content, in whatever order of fields, leaves no record. */
function imagesOf({ old, row }: RowChange): Images | undefined {
  if (row === old) return undefined;
  const NewImage = row && marshalled(row);
  const OldImage = old && marshalled(old);
  if (NewImage && OldImage && canonical(NewImage) === canonical(OldImage)) return undefined;
  return { ...(NewImage && { NewImage }), ...(OldImage && { OldImage }) };
}

function nameOf({ old, row }: RowChange): 'INSERT' | 'MODIFY' | 'REMOVE' {
  if (row === undefined) return 'REMOVE';
  return old === undefined ? 'INSERT' : 'MODIFY';
}

/** Rows of one partition key share a shard. */
const laneOf = ({ pk }: Key, lanes: number): number =>
  Number.parseInt(sha256(pk).slice(0, 8), 16) % lanes;
