import type { Epoch } from '../kernel/epoch.ts';
import type { Json } from '../kernel/json.ts';

/** Where a row lives; `sk` is left out in tables that have none. */
export interface Key {
  readonly pk: string;
  readonly sk?: string;
}

/** A row as plain values; a whole number beyond 2^53 is a bigint. */
export type Row = Readonly<Record<string, Json | Uint8Array | bigint | undefined>>;

/**
 * What must hold at the instant of writing; `why` is the guard's tag. `absent` and `present` speak of the row, or of one
 * field; `any` holds if one of its lists holds whole. A comparison with a missing field doesn't hold.
 */
export type Condition = { readonly why: string } & (
  | { readonly kind: 'absent' | 'present'; readonly field?: string }
  | {
      readonly kind: 'equals' | 'less' | 'greater';
      readonly field: string;
      readonly value: string | number;
    }
  | { readonly kind: 'any'; readonly of: readonly (readonly Condition[])[] }
);

/** What becomes of a row. An update with no row to update creates one: guard it with `present`. */
export type Change =
  | { readonly kind: 'put'; readonly fields: Row }
  | {
      readonly kind: 'update';
      readonly set?: Row;
      /** To numbers; a missing field counts as 0. */
      readonly add?: Readonly<Record<string, number>>;
      readonly remove?: readonly string[];
      /** To the ends of lists; a missing field counts as empty. */
      readonly append?: Readonly<Record<string, readonly Json[]>>;
    }
  | { readonly kind: 'delete' | 'check' };

/** One guarded write as a plain value; `table` is a name that the world knows, not an ARN. */
export type Write = {
  readonly table: string;
  readonly key: Key;
  readonly when: readonly Condition[];
} & Change;

/**
 * Committed gives the new row where it was one write; refused names the lowest write in the way, by index, with its row
 * as it was; unknown: no reply came, so the writes may have happened or not.
 */
export type Commit =
  | { readonly kind: 'committed'; readonly row?: Row }
  | { readonly kind: 'refused'; readonly at: number; readonly old?: Row }
  | { readonly kind: 'unknown' };

/** Which rows are asked for, in order of their sort keys. */
export interface RowRange {
  readonly pk: string;
  readonly index?: string;
  readonly from?: string;
  /** @default all */
  readonly most?: number;
}

/** The one door to durable state. */
export interface Store {
  /** Whether there is a table of this name, so that a door refuses at start to be made without one. */
  knows(table: string): boolean;
  /** Answers the row as it is now, never a stale one. */
  read(table: string, key: Key): Promise<Row | undefined>;
  /**
   * All or nothing, at most 100 writes on as many rows; throttling and conflicts are retried inside and never told as a
   * refusal. @throws Failure `epoch-over` instead of sending anything, retries included, once `epoch` is over
   */
  commit(writes: readonly Write[], epoch?: Epoch): Promise<Commit>;
  /** Rows of one key, as they are now, or of an index, perhaps stale; in order of the sort key from `from` on, at most `most`. */
  query(table: string, by: RowRange): AsyncIterable<Row>;
  /** All rows of one of `of` segments, as they are now, in no order, resumable after a key; never on a handler's path. */
  scan(
    table: string,
    by: { readonly segment: number; readonly of: number; readonly after?: Key },
  ): AsyncIterable<Row>;
}
