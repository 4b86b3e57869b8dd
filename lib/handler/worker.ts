import { agree, limitRules, retryRules } from '../kernel/bounds.ts';
import { permanent } from '../kernel/failure.ts';
import type { Observe, World } from '../ports/world.ts';
import { type DefinedJob, definition, type Job, ownLimits } from './define-job.ts';
import { quiet } from './quiet.ts';
import { type RetrySettings, retrySettings } from './retry-settings.ts';

/** Backoff and classification as a job's worker uses them; attempts are the job's own limits. */
export type WorkerRetry = Omit<RetrySettings, 'maxAttempts'>;

/** What works on commands: the kinds it knows, the world, and how it backs off. */
export interface Worker {
  readonly kinds: ReadonlyMap<string, DefinedJob>;
  readonly world: World;
  readonly retry: ReturnType<typeof retrySettings>;
}

/** Makes a worker; touches every part of the world that it needs, so that a missing setting fails now. */
export function workerOf(
  jobs: readonly Job[],
  world: World,
  settings: { readonly retry?: WorkerRetry; readonly observe?: Observe },
): Worker {
  const { store, bucket, sender, visibility, clock, random, bounds } = world;
  const observe = quiet(settings.observe ?? world.observe);
  const worker = {
    kinds: byName(jobs),
    world: { store, bucket, sender, visibility, clock, random, observe, bounds },
    retry: retrySettings(settings.retry),
  };
  checkBounds(worker);
  return worker;
}

/** @throws Failure `numbers-disagree` where a job or the backoff doesn't fit into the function and its queue */
function checkBounds({ kinds, retry: { cap }, world: { bounds } }: Worker): void {
  if (bounds === undefined) return;
  for (const job of kinds.values()) agree(limitRules(ownLimits(job), bounds), `job "${job.name}"`);
  agree(retryRules({ cap }, bounds));
}

function byName(jobs: readonly Job[]): ReadonlyMap<string, DefinedJob> {
  const kinds = new Map<string, DefinedJob>();
  if (jobs.length === 0)
    throw permanent('job-not-defined', 'a worker works on at least one kind of job, got none');
  for (const job of jobs.map(definition)) {
    if (kinds.has(job.name))
      throw permanent(
        'job-name-twice',
        `two kinds of job are called "${job.name}": a name belongs to one`,
      );
    kinds.set(job.name, job);
  }
  return kinds;
}
