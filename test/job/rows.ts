import type { JobRow, RunningJob } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import type { GroupId, Instant } from '../../lib/kernel/brand.ts';

/** A point in time, so many milliseconds after the clocks of these tests begin. */
export const at = (ms: number): Instant => (1_790_000_000_000 + ms) as Instant;

/** The same incarnation in every row of these tests, unless one says otherwise. */
export const incarnation = '01JZ0000000000000000000000';

const base = {
  schema: 1,
  id: jobId('export', 'a'),
  kind: 'export',
  incarnation,
  generation: 0,
  version: 1,
  groupId: 'A' as GroupId,
  intentId: 'a',
  inputHash: 'hash',
  input: '{}',
  failures: 0,
  takeovers: 0,
  releases: 0,
  events: [],
  lastN: 1,
  firstN: 1,
  sequences: { commands: 1, events: 0 },
  changedAt: at(0),
};

/** A queued job's row, never claimed. */
export const queued = (over: Partial<JobRow> = {}): JobRow =>
  ({ ...base, status: 'queued', ...over }) as JobRow;

/** A running job's row: generation 1, version 2, attempt `A`, its lease over at 60 s. */
export const running = (over: Partial<RunningJob> = {}): RunningJob => ({
  ...base,
  status: 'running',
  generation: 1,
  version: 2,
  attemptId: 'A',
  leaseUntil: at(60_000),
  ...over,
});
