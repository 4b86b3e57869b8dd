import { type JobRow, jobOf, keyOf } from '../job/job.ts';
import type { JobId } from '../kernel/brand.ts';
import { permanent, transient } from '../kernel/failure.ts';
import { tables } from '../kernel/settings.ts';
import type { Desk } from './desk.ts';

/** The row of a job as it is now. @throws Failure `job-missing` or `row-newer` */
export async function readJob({ world }: Desk, id: JobId): Promise<JobRow> {
  const row = await world.store.read(tables.jobs, keyOf(id));
  if (row === undefined)
    throw permanent('job-missing', `there is no job ${id}: jobs list finds those that there are`);
  const read = jobOf(row);
  if (read.kind === 'job') return read.job;
  throw transient(
    'row-newer',
    `the row of job ${id} has schema ${read.schema}: use the command of that release`,
  );
}
