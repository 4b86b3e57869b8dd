import { permanent } from '../kernel/failure.ts';
import type { LanekeeperProps } from './props.ts';

const consumerName = /^[A-Za-z0-9-]{1,64}$/;

/** @throws Failure for no job, for a job that is named twice, and for a consumer that no queue can be called after */
export function checkNames({ jobs, consumers = {} }: LanekeeperProps): void {
  if (jobs.length === 0) throw permanent('jobs-missing', 'a Lanekeeper runs at least one job');
  const names = jobs.map(({ job }) => job.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw permanent('job-twice', `the job "${twice}" is named twice, and runs behind one queue`);
  const odd = Object.keys(consumers).find((name) => !consumerName.test(name));
  if (odd !== undefined)
    throw permanent(
      'consumer-name-invalid',
      `a consumer is named by 1 to 64 letters, digits and dashes, got "${odd}"`,
    );
}
