import { keyOf } from '../job/job.ts';
import { hasHappened, type Verb, type VerbStep, verbStep } from '../job/operator.ts';
import type { JobId } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import { permanent, transient } from '../kernel/failure.ts';
import { sizes, tables } from '../kernel/settings.ts';
import type { Row } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { newerRow } from './newer-row.ts';
import { surely } from './surely.ts';

/** What a verb came to. */
export interface Changed {
  readonly kind: 'changed' | 'requested' | 'already' | 'finished' | 'missing';
}

/** What a verb would come to now. */
export type Step = Exclude<VerbStep, { readonly kind: 'newer' | 'no-room' | 'unfinished' }>;

/** How often a verb is decided anew when the row moves under it. */
const tries = 8;

/**
 * Asks something of a job that one doesn't hold, by its id.
 *
 * @throws Failure `because-invalid`, `events-full`, `job-unfinished`, `row-newer` or `change-unconfirmed`
 */
export async function askJob(
  world: Pick<World, 'store' | 'clock' | 'random'>,
  id: JobId,
  verb: Verb,
): Promise<Changed> {
  let { row, step } = await wouldAsk(world, id, verb);
  for (let done = 0; done < tries; done++) {
    if (step.kind !== 'write') return step;
    const commit = await surely(world, [step.write]);
    if (commit.kind === 'unknown') break;
    if (commit.kind === 'committed' || hasHappened(step.write, commit.old))
      return { kind: step.means };
    row = commit.old;
    step = possible(verbStep(verb, row, world.clock.now()), id);
  }
  throw transient(
    'change-unconfirmed',
    `job ${id} kept moving or gave no reply: look at it, then ask again`,
  );
}

/** The job's row as it is now, and what the verb would come to; nothing is written. @throws Failure as {@link askJob} does */
export async function wouldAsk(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  id: JobId,
  verb: Verb,
): Promise<{ readonly row: Row | undefined; readonly step: Step }> {
  checkBecause(verb.because);
  const row = await store.read(tables.jobs, keyOf(id));
  return { row, step: possible(verbStep(verb, row, clock.now()), id) };
}
/** It lies in the row twice, as the request and in the event, and the row's end must always fit. */
function checkBecause(because: string | undefined): void {
  if (because === undefined) return;
  const size = typeof because === 'string' ? bytesOf(because) : undefined;
  if (size !== undefined && size <= sizes.failure) return;
  throw permanent(
    'because-invalid',
    `because is a text of at most ${sizes.failure} bytes, got ${size === undefined ? typeof because : `${size} bytes`}`,
  );
}

function possible(step: VerbStep, id: JobId): Step {
  switch (step.kind) {
    case 'newer':
      throw newerRow(step.schema);
    case 'no-room':
      throw permanent(
        'events-full',
        `job ${id} has no room for another command: its last event's room is kept free`,
      );
    case 'unfinished':
      throw permanent(
        'job-unfinished',
        `job ${id} is ${step.status}, and only a job that has ended can be erased: cancel it first`,
      );
    default:
      return step;
  }
}
