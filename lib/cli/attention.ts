import { type JobRow, jobOf } from '../job/job.ts';
import type { Instant } from '../kernel/brand.ts';
import { attention as index, tables } from '../kernel/settings.ts';
import type { World } from '../ports/world.ts';
import { withAge } from './age.ts';
import type { Command } from './command.ts';
import { deskAt, deskFlags, deskUsage } from './desk.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

/** Jobs that the sweeper is to look at. */
export const attention: Command = {
  name: 'attention',
  summary: 'jobs that wait for the sweeper, and why',
  usage: deskUsage,
  async run(shell) {
    const { values } = parsed(shell, deskFlags);
    const desk = await deskAt(shell, values);
    const jobs = (await marked(desk.world)).toSorted((a, b) => dueOf(a) - dueOf(b));
    if (desk.json) for (const job of jobs) desk.print(JSON.stringify(listed(job)));
    else desk.print(attentionTable(jobs, desk.world.clock.now()).join('\n'));
    return 'done';
  },
};

async function marked({ store }: World): Promise<readonly JobRow[]> {
  const jobs: JobRow[] = [];
  for (let shard = 0; shard < index.shards; shard++)
    for await (const row of store.query(tables.jobs, { pk: String(shard), index: index.index })) {
      const read = jobOf(row);
      if (read.kind === 'job') jobs.push(read.job);
    }
  return jobs;
}

const dueOf = ({ sweepAt }: JobRow): Instant => (sweepAt ?? 0) as Instant;

const listed = (job: JobRow) => ({
  id: job.id,
  status: job.status,
  generation: job.generation,
  why: why(job),
  sweepAt: job.sweepAt,
  sweeps: job.sweeps,
});

/** Jobs in the order in which they are due, for people. */
export const attentionTable = (jobs: readonly JobRow[], now: Instant): readonly string[] =>
  jobs.length === 0
    ? ['nothing waits for the sweeper']
    : table(
        ['job', 'status', 'gen', 'due', 'why'],
        jobs.map((job) => [
          job.id,
          job.status,
          String(job.generation),
          withAge(dueOf(job), now),
          why(job),
        ]),
      );

/** Why a job's candidates have to be looked at, as far as its row says. */
export function why(job: JobRow): string {
  if (job.erasedAt !== undefined) return 'erased: inputs and results may be left';
  if ((job.sweeps ?? 0) > 0) return 'swept once: uploads may have been under way';
  if (job.status === 'running') return 'taken over or put back: earlier candidates may be left';
  if (job.status === 'queued') return 'put back: its candidates may be left';
  if (job.status === 'succeeded') return 'other candidates than the result may be left';
  return `${job.status}: its candidates may be left`;
}
