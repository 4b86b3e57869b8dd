import { jobId } from '../job/job-id.ts';
import type { JobId } from '../kernel/brand.ts';
import { misused } from './command.ts';
import type { Words } from './parsed.ts';

/** How a command is told which job. */
export const jobWords: Words = { least: 1, most: 2, are: "a job's ID, or its KIND and INTENT" };

/** The job that is meant: by its id, or by kind and intent. @throws Failure `usage-wrong` for one word that is no id */
export function namedJob([first = '', intent]: readonly string[]): JobId {
  if (intent !== undefined) return jobId(first, intent);
  if (/^[A-Za-z0-9-]{1,64}-[0-9a-f]{32}$/.test(first)) return first as JobId;
  throw misused(
    `a job's id is its kind, a dash and 32 hex digits, got "${first}": or give KIND and INTENT`,
  );
}
