import type { DynamoDBRecord } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';

/** A record where it stands: `n` counts a shard's records from 0. */
export interface Placed {
  readonly n: number;
  readonly at: Instant;
  readonly record: DynamoDBRecord;
}

/** A run of records in order; it is read only after its parent has been read to its end. */
export class Shard {
  readonly id: string;
  readonly parent: Shard | undefined;
  /** What is kept, in order. */
  readonly records: Placed[] = [];
  #appended = 0;
  #first = 0;
  #isClosed = false;

  constructor(id: string, parent: Shard | undefined) {
    this.id = id;
    this.parent = parent;
  }

  /** Where the oldest record stands that hasn't been trimmed; what stood before it is lost. */
  get first(): number {
    return this.#first;
  }

  /** Whether no record will ever be added again. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  append(at: Instant, record: DynamoDBRecord): void {
    this.records.push({ n: this.#appended, at, record });
    this.#appended += 1;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Takes away what was added before then. */
  trim(before: Instant): void {
    while (this.records[0] !== undefined && this.records[0].at < before) {
      this.#first = this.records[0].n + 1;
      this.records.shift();
    }
  }

  /** At most so many records from a position on. */
  from(position: number, most: number): readonly Placed[] {
    const start = this.records.findLastIndex(({ n }) => n < position) + 1;
    return this.records.slice(start, start + most);
  }

  /** Whether everything before this position is all there is. */
  endsAt(position: number): boolean {
    const last = this.records.at(-1);
    return last === undefined || last.n < position;
  }
}
