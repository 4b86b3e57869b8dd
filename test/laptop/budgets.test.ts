import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  complete,
  defineJob,
  hours,
  type JobAnswer,
  type JobLimits,
  minutes,
  retryLater,
  transient,
} from '../../lib/index.ts';
import { keyOf } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { type Laptop, startLaptop } from '../../lib/local/index.ts';

type Run = (job: Attempt<object>, n: number) => Promise<JobAnswer<unknown>>;

/** One job whose n-th run goes as `run` says, until it is over. */
async function ended(limits: JobLimits, run: Run, fault: (laptop: Laptop) => void = () => {}) {
  let runs = 0;
  const job = defineJob({
    name: 'budget',
    input: v.object({}),
    limits,
    run: (own) => {
      runs += 1;
      return run(own, runs);
    },
  });
  await using laptop = await startLaptop({ jobs: [job] });
  fault(laptop);
  await laptop.jobs.submit(job, { intentId: 'a', input: {} });
  const settled = await laptop.settle({ within: hours(48) });
  return {
    settled,
    runs,
    row: laptop.row('jobs', keyOf(jobId('budget', 'a'))),
    events: laptop.events(job),
    takenOver: laptop.happenings('job-taken-over').length,
  };
}

const fails: Run = async () => {
  throw transient('no-luck', 'it did not work');
};
const waits: Run = async () => retryLater({ after: minutes(1), because: 'not yet' });
const crashes = (times: number) => (laptop: Laptop) =>
  laptop.faults.crash({ at: 'handle', when: 'before', times });

describe('a budget that is spent', () => {
  it('of failures ends the job by its last failure', async () => {
    const { row, runs, events } = await ended({ failures: 3 }, fails);

    expect(runs).toBe(3);
    expect(row).toMatchObject({
      status: 'failed',
      failure: { code: 'no-luck' },
      ...{ takeovers: 0, releases: 0 },
    });
    expect(events).toMatchObject([{ type: 'budget.failed', data: { code: 'no-luck' } }]);
  });

  it('of takeovers ends the job as crashed-too-often, once an hour lies between the first and now (case fencing 48)', async () => {
    const { row, runs, events, takenOver } = await ended({ takeovers: 2 }, fails, crashes(1_000));

    expect(runs).toBe(0);
    expect(takenOver).toBeGreaterThanOrEqual(2);
    expect(row).toMatchObject({
      status: 'failed',
      failure: { code: 'crashed-too-often', facts: { limit: 2, takeovers: takenOver } },
      ...{ takeovers: takenOver, failures: 0, releases: 0 },
    });
    expect(Number(row?.['changedAt']) - Number(row?.['firstTakeoverAt'])).toBeGreaterThan(hours(1));
    expect(events).toMatchObject([{ type: 'budget.failed', data: { code: 'crashed-too-often' } }]);
  });

  it('of releases ends the job as released-too-often, with the last reason', async () => {
    const { row, runs, events } = await ended({ releases: 3 }, waits);

    expect(runs).toBe(3);
    expect(row).toMatchObject({
      status: 'failed',
      failure: { code: 'released-too-often', message: expect.stringContaining('not yet') },
      ...{ takeovers: 0, failures: 0 },
    });
    expect(events).toMatchObject([{ type: 'budget.failed', data: { code: 'released-too-often' } }]);
  });
});

describe('budgets', () => {
  it('never pay for each other: each may be spent but for one, and the job succeeds', async () => {
    const run: Run = async (own, n) => {
      if (n <= 2) return fails(own, n);
      return n <= 4 ? waits(own, n) : complete({ data: n });
    };

    const limits = { failures: 3, takeovers: 3, releases: 3 };
    const { settled, row } = await ended(limits, run, crashes(2));

    expect(settled).toEqual({ kind: 'quiet' });
    expect(row).toMatchObject({ status: 'succeeded', failures: 2, takeovers: 2, releases: 2 });
  });

  it.each<[string, JobLimits, Run]>([
    ['a release spends no failure', { failures: 1 }, waits],
    ['a failure spends no release', { releases: 1 }, fails],
  ])('are apart: %s', async (_, limits, first) => {
    const { row } = await ended(limits, async (own, n) =>
      n === 1 ? first(own, n) : complete({ data: n }),
    );

    expect(row).toMatchObject({ status: 'succeeded', generation: 2 });
  });

  it('are apart: takeovers in one bad hour spend nothing that ends a job', async () => {
    const { row, takenOver } = await ended(
      { takeovers: 1, failures: 1, releases: 1 },
      async () => complete(),
      crashes(4),
    );

    expect(takenOver).toBe(4);
    expect(row).toMatchObject({ status: 'succeeded', failures: 0, releases: 0 });
  });
});
