import { type JobRow, jobOf } from '../job/job.ts';
import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import { between } from '../kernel/time.ts';
import { ageOf, inWords } from './age.ts';
import { type Command, misused } from './command.ts';
import { countOf } from './count-of.ts';
import { deskAt, deskFlags, deskUsage } from './desk.ts';
import { foundRows } from './found-rows.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

const flags = {
  ...deskFlags,
  status: { type: 'string' },
  kind: { type: 'string' },
  group: { type: 'string' },
  older: { type: 'string' },
  newer: { type: 'string' },
  limit: { type: 'string', default: '100' },
} as const;

const statuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** Jobs by scan, the longest unchanged first. */
export const jobsList: Command = {
  name: 'jobs list',
  summary: 'jobs by status, kind, group and age',
  usage: `  --status NAME   ${statuses.join(', ')}
  --kind NAME     jobs of one kind
  --group ID      jobs of one group
  --older AGE     unchanged for longer than 90s, 15m, 2h or 3d
  --newer AGE     changed since
  --limit N       stop when so many are found (default: 100)
${deskUsage}

It reads the jobs table row by row until it has found enough, and says what that cost.`,
  async run(shell) {
    const { values } = parsed(shell, flags);
    const wanted = filterOf(values);
    const limit = countOf('--limit', values.limit);
    const desk = await deskAt(shell, values);
    const now = desk.world.clock.now();
    const { all } = await foundRows(desk, {
      table: tables.jobs,
      prefix: 'job#',
      limit,
      read(row) {
        const read = jobOf(row);
        return read.kind === 'job' && wanted(read.job, now) ? read.job : undefined;
      },
    });
    const sorted = all.toSorted((a, b) => a.changedAt - b.changedAt);
    if (desk.json) for (const job of sorted) desk.print(JSON.stringify(listed(job)));
    else desk.print(jobsTable(sorted, now).join('\n'));
    return 'done';
  },
};

type Asked = { readonly [Flag in 'status' | 'kind' | 'group' | 'older' | 'newer']?: string };

/** Whether a job was asked for. @throws Failure `usage-wrong` for a status or an age that can't be */
export function filterOf({
  status,
  kind,
  group,
  older,
  newer,
}: Asked): (job: JobRow, now: Instant) => boolean {
  if (status !== undefined && !statuses.some((name) => name === status))
    throw misused(`--status takes one of ${statuses.join(', ')}, got "${status}"`);
  const least = older === undefined ? 0 : ageOf('--older', older);
  const most = newer === undefined ? Number.POSITIVE_INFINITY : ageOf('--newer', newer);
  return (job, now) => {
    const age = between(job.changedAt, now);
    return (
      isAsked(status, job.status) &&
      isAsked(kind, job.kind) &&
      isAsked(group, job.groupId) &&
      age >= least &&
      age <= most
    );
  };
}

const isAsked = (asked: string | undefined, value: string): boolean =>
  asked === undefined || asked === value;

/** What a line of JSON says of a job: no person's data. */
const listed = ({ id, kind, intentId, groupId, status, generation, version, ...job }: JobRow) => ({
  id,
  kind,
  intentId,
  groupId,
  status,
  generation,
  version,
  failures: job.failures,
  takeovers: job.takeovers,
  releases: job.releases,
  changedAt: job.changedAt,
  failure: job.failure?.code,
});

const columns = ['job', 'status', 'unchanged', 'gen', 'group', 'intent', 'failure'] as const;

/** Jobs as a table for people. */
export const jobsTable = (jobs: readonly JobRow[], now: Instant): readonly string[] =>
  jobs.length === 0
    ? ['no such jobs']
    : table(
        columns,
        jobs.map((job) => [
          job.id,
          job.status,
          inWords(between(job.changedAt, now)),
          String(job.generation),
          job.groupId,
          job.intentId,
          job.failure?.code ?? '',
        ]),
      );
