import type { JobView, Row, Store } from 'lanekeeper';

/** A group's row of the catalogue. */
interface GroupTotal {
  readonly groupId: string;
  readonly exports: number;
  readonly rows: number;
}

/** The catalogue, and where it differs from the jobs' own rows. */
export interface CatalogueCheck {
  /** Exports that it shows as succeeded. */
  readonly exports: number;
  readonly totals: readonly GroupTotal[];
  /** One line per row that is missing, left over or wrong; empty where the catalogue is true. */
  readonly wrong: readonly string[];
}

/** An export as its job tells it. */
export type ExportView = JobView<{ readonly rows: number }>;

/** Reads the catalogue, and compares it with what the jobs say. */
export async function catalogueCheck(
  store: Pick<Store, 'scan'>,
  jobs: readonly ExportView[],
): Promise<CatalogueCheck> {
  const rows: Row[] = [];
  for await (const row of store.scan('catalogue', { segment: 0, of: 1 })) rows.push(row);
  const ends = rows.filter((row) => row['sk'] === 'end' && row['_removed'] === undefined);
  const totals = rows.filter((row) => row['sk'] === 'total').map(totalOf);
  const shown = [...ends.map(shownEnd), ...totals.map(totalLine)];
  const due = [...jobs.flatMap(dueEnd), ...dueTotals(jobs).map(totalLine)];
  return {
    exports: ends.filter((row) => row['rows'] !== undefined).length,
    totals: totals.sort((a, b) => a.groupId.localeCompare(b.groupId)),
    wrong: [
      ...due.filter((line) => !shown.includes(line)).map((line) => `lacks ${line}`),
      ...shown.filter((line) => !due.includes(line)).map((line) => `shows ${line}`),
    ].sort(),
  };
}

const totalOf = ({ pk, exports, rows }: Row): GroupTotal => ({
  groupId: String(pk).replace('group#', ''),
  exports: Number(exports),
  rows: Number(rows),
});

const totalLine = ({ groupId, exports, rows }: GroupTotal): string =>
  `group ${groupId}: ${exports} exports, ${rows} rows`;

const shownEnd = ({ pk, intentId, groupId, rows, file, code }: Row): string =>
  `${String(pk)} ${intentId} of ${groupId}: ${code === undefined ? `${rows} rows in ${file}` : code}`;

function dueEnd(job: ExportView): readonly string[] {
  const { id, intentId, groupId } = job;
  const of = `export#${id} ${intentId} of ${groupId}`;
  if (job.status === 'succeeded') return [`${of}: ${job.data.rows} rows in ${job.result?.key}`];
  return job.status === 'failed' ? [`${of}: ${job.failure.code}`] : [];
}

function dueTotals(jobs: readonly ExportView[]): readonly GroupTotal[] {
  const succeeded = jobs.filter((job) => job.status === 'succeeded');
  return [...new Set(succeeded.map(({ groupId }) => groupId))].map((groupId) => {
    const own = succeeded.filter((job) => job.groupId === groupId);
    const rows = own.reduce((sum, { data }) => sum + data.rows, 0);
    return { groupId, exports: own.length, rows };
  });
}
