import { type ScanOf, tableScan } from '../aws/table-scan.ts';
import type { Row } from '../ports/store.ts';
import type { Desk } from './desk.ts';

/** What a scan found. */
export interface Found<One> {
  readonly all: readonly One[];
  /** Whether it stopped before the table's end. */
  readonly isCut: boolean;
}

/** What to look for. */
interface Search<One> extends ScanOf {
  readonly limit: number;
  /** Undefined for a row that wasn't asked for. */
  read(row: Row): One | undefined;
}

/** Scans a table until it has found enough, and notes what that cost. */
export async function foundRows<One>(desk: Desk, search: Search<One>): Promise<Found<One>> {
  const all: One[] = [];
  const cost = { rows: 0, units: 0 };
  for await (const page of tableScan(search, desk.env)) {
    cost.rows += page.read;
    cost.units += page.units;
    all.push(...page.rows.map(search.read).filter((one) => one !== undefined));
    if (all.length > search.limit) break;
  }
  desk.note(
    `read ${cost.rows} rows of the table ${search.table} for ${cost.units} read request units`,
  );
  const isCut = all.length > search.limit;
  if (isCut) desk.note(`shows ${search.limit}, there are more: narrow it down, or set --limit`);
  return { all: all.slice(0, search.limit), isCut };
}
