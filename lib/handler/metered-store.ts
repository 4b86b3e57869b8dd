import { rowBytes } from '../kernel/row-bytes.ts';
import type { Commit, Key, Row, RowRange, Store } from '../ports/store.ts';

/** What was read of the tables, and what that costs on DynamoDB. */
export interface ReadCost {
  readonly rows: number;
  readonly requests: number;
  /** Read units: 4 KB read consistently, half of one else; rounded up per row that is asked for by its key, and per page else ("Read consistency", DynamoDB developer guide). */
  readonly units: number;
}

const unit = 4 * 1024;
/** A page of a query or a scan has at most so many bytes. */
const page = 1024 * 1024;

/** A store that counts what is read through it, by the sizes of the rows. */
export class MeteredStore implements Store {
  readonly #store: Store;
  #rows = 0;
  #requests = 0;
  #units = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get cost(): ReadCost {
    return { rows: this.#rows, requests: this.#requests, units: this.#units };
  }

  knows(table: string): boolean {
    return this.#store.knows(table);
  }

  async read(table: string, key: Key): Promise<Row | undefined> {
    const row = await this.#store.read(table, key);
    this.#count(row === undefined ? 0 : 1, row === undefined ? 0 : rowBytes(row), 1);
    return row;
  }

  commit(...asked: Parameters<Store['commit']>): Promise<Commit> {
    return this.#store.commit(...asked);
  }

  query(table: string, by: RowRange): AsyncIterable<Row> {
    return this.#counted(this.#store.query(table, by), by.index === undefined ? 1 : 0.5);
  }

  scan(...asked: Parameters<Store['scan']>): AsyncIterable<Row> {
    return this.#counted(this.#store.scan(...asked), 1);
  }

  async *#counted(found: AsyncIterable<Row>, price: number): AsyncGenerator<Row> {
    let rows = 0;
    let bytes = 0;
    try {
      for await (const row of found) {
        rows += 1;
        bytes += rowBytes(row);
        yield row;
      }
    } finally {
      this.#count(rows, bytes, price);
    }
  }

  #count(rows: number, bytes: number, price: number): void {
    this.#rows += rows;
    this.#requests += 1 + Math.floor(bytes / page);
    this.#units += Math.max(1, Math.ceil(bytes / unit)) * price;
  }
}
