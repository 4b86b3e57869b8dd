import { marshalled } from '../kernel/attribute-value.ts';
import { Failure } from '../kernel/failure.ts';
import { bytesOf } from '../kernel/json.ts';
import { sha256 } from '../kernel/sha256.ts';
import type { Commit, Key, Row, Store, Write } from '../ports/store.ts';
import { applied, kept } from './applied.ts';
import type { ChangeStream } from './change-stream.ts';
import { holds } from './holds.ts';

/** What a table has beside its rows. */
export interface TableShape {
  /** Sparse indexes by name: a row without both fields isn't in it. */
  readonly indexes?: Readonly<Record<string, { readonly pk: string; readonly sk: string }>>;
  /** Gets every change, in the order made per row. */
  readonly stream?: ChangeStream;
  /** The field that says, in epoch seconds, when a row may be forgotten. */
  readonly ttl?: string;
}

/** DynamoDB's limit of a row, names included, and of a transaction. */
const most = { bytes: 400 * 1024, writes: 100 } as const;

/** A {@link Store} in memory with DynamoDB's semantics: one step per commit, all or nothing, guards judged on the spot. */
export class MemoryStore implements Store {
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(tables: Readonly<Record<string, TableShape>>) {
    this.#tables = new Map(
      Object.entries(tables).map(([name, shape]) => [name, { shape, rows: new Map() }]),
    );
  }

  async read(table: string, key: Key): Promise<Row | undefined> {
    return this.peek(table, key);
  }

  /** As {@link read}, at once: for looking on. */
  peek(table: string, key: Key): Row | undefined {
    const row = this.#table(table).rows.get(pathOf(key))?.row;
    return row && kept(row);
  }

  /** All rows of a table, at once: for looking on. */
  all(table: string): readonly Row[] {
    return [...this.#table(table).rows.values()].map(({ row }) => row);
  }

  async commit(writes: readonly Write[]): Promise<Commit> {
    check(writes);
    const steps = writes.map((write) => {
      const table = this.#table(write.table);
      const old = table.rows.get(pathOf(write.key))?.row;
      return { table, write, old };
    });
    const at = steps.findIndex(({ write, old }) => !write.when.every((guard) => holds(guard, old)));
    if (at >= 0) {
      const old = steps[at]?.old;
      return { kind: 'refused', at, ...(old === undefined ? {} : { old: kept(old) }) };
    }
    const changes = steps.map((step) => ({ ...step, row: sized(applied(step.write, step.old)) }));
    for (const change of changes) place(change);
    const row = changes.length === 1 ? changes[0]?.row : undefined;
    return { kind: 'committed', ...(row === undefined ? {} : { row: kept(row) }) };
  }

  async *query(
    table: string,
    by: { readonly pk: string; readonly index?: string; readonly from?: string },
  ): AsyncIterable<Row> {
    const { shape, rows } = this.#table(table);
    const fields = by.index === undefined ? { pk: 'pk', sk: 'sk' } : shape.indexes?.[by.index];
    if (fields === undefined)
      throw bad('index-unknown', `table "${table}" has no index "${by.index}"`);
    const found = [...rows.values()]
      .map(({ row }) => row)
      .filter(
        (row) =>
          row[fields.pk] === by.pk && (by.index === undefined || row[fields.sk] !== undefined),
      )
      .sort((a, b) => inOrder(a[fields.sk], b[fields.sk]));
    for (const row of found)
      if (by.from === undefined || inOrder(row[fields.sk], by.from) >= 0) yield kept(row);
  }

  async *scan(
    table: string,
    by: { readonly segment: number; readonly of: number; readonly after?: Key },
  ): AsyncIterable<Row> {
    const rows = [...this.#table(table).rows]
      .filter(([, { key }]) => segmentOf(key.pk, by.of) === by.segment)
      .sort(([a], [b]) => inOrder(a, b));
    for (const [path, { row }] of rows)
      if (by.after === undefined || inOrder(path, pathOf(by.after)) > 0) yield kept(row);
  }

  /** Forgets what the time to live has run out for, as the service does some time later; the stream is told that it was the service. */
  forget(epochSeconds: number): void {
    for (const table of this.#tables.values()) {
      const { ttl } = table.shape;
      if (ttl === undefined) continue;
      for (const { key, row } of [...table.rows.values()])
        if (typeof row[ttl] === 'number' && row[ttl] <= epochSeconds)
          place({ table, write: { key }, old: row, row: undefined, byService: true });
    }
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table !== undefined) return table;
    throw bad(
      'table-unknown',
      `there is no table "${name}", there are ${[...this.#tables.keys()].join(', ')}`,
    );
  }
}

interface Table {
  readonly shape: TableShape;
  readonly rows: Map<string, { readonly key: Key; readonly row: Row }>;
}

interface Placed {
  readonly table: Table;
  readonly write: { readonly key: Key };
  readonly old: Row | undefined;
  readonly row: Row | undefined;
  readonly byService?: boolean;
}

function place({ table, write: { key }, old, row, byService = false }: Placed): void {
  if (row === undefined) table.rows.delete(pathOf(key));
  else table.rows.set(pathOf(key), { key, row });
  table.shape.stream?.append({ key, old, row, byService });
}

/** @throws Failure for what DynamoDB would refuse whole, before any guard is looked at */
function check(writes: readonly Write[]): void {
  if (writes.length === 0 || writes.length > most.writes)
    throw bad('writes-too-many', `a commit has 1 to ${most.writes} writes, got ${writes.length}`);
  const places = new Set(writes.map(({ table, key }) => `${table} ${pathOf(key)}`));
  if (places.size < writes.length)
    throw bad('writes-collide', 'a commit has at most one write for each row');
  for (const { table, key } of writes)
    if (key.pk === '' || key.sk === '')
      throw bad('key-empty', `a key of table "${table}" has an empty part`);
}

function sized(row: Row | undefined): Row | undefined {
  const size = row === undefined ? 0 : bytesOf(JSON.stringify(marshalled(row)));
  if (size <= most.bytes) return row;
  const exact = row === undefined ? 0 : rowBytes(row);
  if (exact <= most.bytes) return row;
  throw bad('row-too-large', `a row has at most ${most.bytes} bytes, got ${exact}`);
}

/** A row's size as DynamoDB counts it, closely: names and values, a byte or three for each container. */
const rowBytes = (value: Row[string] | Row): number => {
  if (value === undefined) return 0;
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return Math.ceil(String(value).length / 2) + 1;
  if (value === null || typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  return Object.entries(value).reduce(
    (size, [name, item]) =>
      size + 1 + (Array.isArray(value) ? 0 : bytesOf(name)) + rowBytes(item as Row[string]),
    3,
  );
};

const bad = (code: string, sentence: string): Failure =>
  new Failure(code, sentence, { remedy: 'dead-letter' });

const pathOf = ({ pk, sk }: Key): string => JSON.stringify(sk === undefined ? [pk] : [pk, sk]);

const segmentOf = (pk: string, of: number): number =>
  Number.parseInt(sha256(pk).slice(0, 8), 16) % of;

function inOrder(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a ?? '')), Buffer.from(String(b ?? '')));
}
