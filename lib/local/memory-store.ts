import { checkWrites } from '../kernel/check-writes.ts';
import { checkOpen, type Epoch } from '../kernel/epoch.ts';
import { permanent } from '../kernel/failure.ts';
import { rowBytes } from '../kernel/row-bytes.ts';
import { sha256 } from '../kernel/sha256.ts';
import type { Commit, Key, Row, RowRange, Store, Write } from '../ports/store.ts';
import { applied, kept } from './applied.ts';
import type { ChangeStream } from './change-stream.ts';
import { holds } from './holds.ts';

/** What a table has beside its rows. */
export interface TableShape {
  /** Sparse indexes by name: a row without both fields isn't in it, and of some only the keys are. */
  readonly indexes?: Readonly<Record<string, Index>>;
  /** Gets every change, in the order made per row. */
  readonly stream?: ChangeStream;
  /** The field that says, in epoch seconds, when a row may be forgotten. */
  readonly ttl?: string;
}

interface Index {
  readonly pk: string;
  readonly sk: string;
  readonly keysOnly?: boolean;
}

/** DynamoDB's limits: of a row, names included, and of a transaction. */
const most = { bytes: 400 * 1024, together: 4 * 1024 * 1024 } as const;

/** A {@link Store} in memory with DynamoDB's semantics: one step per commit, all or nothing, guards judged on the spot. */
export class MemoryStore implements Store {
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(tables: Readonly<Record<string, TableShape>>) {
    this.#tables = new Map(
      Object.entries(tables).map(([name, shape]) => [
        name,
        { shape, rows: new Map(), parts: new Map(), stream: shape.stream, hasSk: undefined },
      ]),
    );
  }

  async read(table: string, key: Key): Promise<Row | undefined> {
    return this.peek(table, key);
  }

  /** As {@link read}, at once: for looking on. */
  peek(table: string, key: Key): Row | undefined {
    const found = this.#table(table);
    const row = found.rows.get(placeOf(found, table, key))?.row;
    return row && kept(row);
  }

  /** Gives a table another stream, or none; the one before takes no more, and stays readable for its 24 hours. */
  restream(table: string, stream: ChangeStream | undefined): void {
    const found = this.#table(table);
    found.stream?.close();
    found.stream = stream;
  }

  /** All rows of a table, at once: for looking on. */
  all(table: string): readonly Row[] {
    return [...this.#table(table).rows.values()].map(({ row }) => kept(row));
  }

  async commit(writes: readonly Write[], epoch?: Epoch): Promise<Commit> {
    checkWrites(writes);
    checkOpen(epoch);
    const steps = writes.map((write) => {
      const table = this.#table(write.table);
      const old = table.rows.get(placeOf(table, write.table, write.key))?.row;
      return { table, write, old };
    });
    const at = steps.findIndex(({ write, old }) => !write.when.every((guard) => holds(guard, old)));
    if (at >= 0) {
      const old = steps[at]?.old;
      return { kind: 'refused', at, ...(old === undefined ? {} : { old: kept(old) }) };
    }
    const changes = steps.map((step) => ({ ...step, row: applied(step.write, step.old) }));
    checkSizes(changes.map(({ row }) => row));
    for (const change of changes) place(change);
    const row = changes.length === 1 ? changes[0]?.row : undefined;
    return { kind: 'committed', ...(row === undefined ? {} : { row: kept(row) }) };
  }

  knows(table: string): boolean {
    return this.#tables.has(table);
  }

  async *query(table: string, by: RowRange): AsyncIterable<Row> {
    const { shape, rows, parts } = this.#table(table);
    const fields: Index | undefined =
      by.index === undefined ? { pk: 'pk', sk: 'sk' } : shape.indexes?.[by.index];
    if (fields === undefined)
      throw permanent('index-unknown', `table "${table}" has no index "${by.index}"`);
    const inPart =
      by.index === undefined
        ? [...(parts.get(by.pk)?.values() ?? [])]
        : [...rows.values()]
            .map(({ row }) => row)
            .filter((row) => row[fields.pk] === by.pk && row[fields.sk] !== undefined);
    const found = inPart
      .filter((row) => by.from === undefined || inOrder(row[fields.sk], by.from) >= 0)
      .sort((a, b) => inOrder(a[fields.sk], b[fields.sk]));
    for (const row of found.slice(0, by.most)) yield kept(projected(row, fields));
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
    throw permanent(
      'table-unknown',
      `there is no table "${name}", there are ${[...this.#tables.keys()].join(', ')}`,
    );
  }
}

/** What of a row an index holds. */
const projected = (row: Row, { pk, sk, keysOnly = false }: Index): Row =>
  keysOnly
    ? Object.fromEntries(['pk', 'sk', pk, sk].map((field) => [field, row[field]] as const))
    : row;

interface Table {
  readonly shape: TableShape;
  readonly rows: Map<string, { readonly key: Key; readonly row: Row }>;
  /** The same rows by their partition key and place, so that a query looks at its own alone. */
  readonly parts: Map<string, Map<string, Row>>;
  stream: ChangeStream | undefined;
  /** Whether its keys have a sort key: as its first row's. */
  hasSk: boolean | undefined;
}

interface Placed {
  readonly table: Table;
  readonly write: { readonly key: Key };
  readonly old: Row | undefined;
  readonly row: Row | undefined;
  readonly byService?: boolean;
}

function place({ table, write: { key }, old, row, byService = false }: Placed): void {
  const path = pathOf(key);
  const part = table.parts.get(key.pk) ?? new Map<string, Row>();
  if (row === undefined) {
    table.rows.delete(path);
    part.delete(path);
    if (part.size === 0) table.parts.delete(key.pk);
  } else {
    table.rows.set(path, { key: { ...key }, row });
    table.parts.set(key.pk, part.set(path, row));
    table.hasSk ??= key.sk !== undefined;
  }
  table.stream?.append({ key, old, row, byService });
}

/** Where a row lives in its table. @throws Failure for a key that its table can't have */
function placeOf({ hasSk }: Table, name: string, key: Key): string {
  if (key.pk === '' || key.sk === '')
    throw permanent('key-empty', `a key of table "${name}" has an empty part`);
  if (hasSk !== undefined && hasSk !== (key.sk !== undefined))
    throw permanent(
      'key-mismatched',
      `a key of table "${name}" has ${hasSk ? 'pk and sk' : 'pk alone'}, got ${pathOf(key)}`,
    );
  return pathOf(key);
}

/** @throws Failure where a row, or all rows together, are larger than DynamoDB takes */
function checkSizes(rows: readonly (Row | undefined)[]): void {
  const sizes = rows.map((row) => (row === undefined ? 0 : rowBytes(row)));
  const largest = Math.max(...sizes);
  if (largest > most.bytes)
    throw permanent('row-too-large', `a row has at most ${most.bytes} bytes, got ${largest}`);
  const all = sizes.reduce((total, size) => total + size, 0);
  if (all > most.together)
    throw permanent('commit-too-large', `a commit has at most ${most.together} bytes, got ${all}`);
}

const pathOf = ({ pk, sk }: Key): string => JSON.stringify(sk === undefined ? [pk] : [pk, sk]);

const segmentOf = (pk: string, of: number): number =>
  Number.parseInt(sha256(pk).slice(0, 8), 16) % of;

function inOrder(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a ?? '')), Buffer.from(String(b ?? '')));
}
