import type { Context } from 'aws-lambda';
import { isGarbage, type Truth } from '../candidate/garbage.ts';
import { candidatesOf, inputsOf, placeOf } from '../candidate/key.ts';
import { isFinal, type JobRow, jobOf, keyOf } from '../job/job.ts';
import { swept } from '../job/swept.ts';
import type { JobId } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { attention, lengths, tables } from '../kernel/settings.ts';
import { later, seconds } from '../kernel/time.ts';
import type { World } from '../ports/world.ts';
import { InvocationEpoch } from './invocation-epoch.ts';
import type { Handler } from './queue-handler.ts';
import { quiet } from './quiet.ts';
import { isLate } from './remaining-of.ts';

/** What a sweep came to: orphans found, deleted, and candidates left because they may still be promoted or couldn't be deleted. */
export interface Swept {
  readonly found: number;
  readonly deleted: number;
  readonly left: number;
}

/** Kept free before the deadline: marks that aren't reached stay for the next sweep. */
const margin = seconds(5);

/** Deletes orphans, never a promoted or still promotable candidate; any schedule will do, and any number at once. */
export function sweepHandler(world: World): Handler<unknown, Swept> {
  const { store, bucket, clock } = world;
  const observe = quiet(world.observe);
  return async (_event, context) => {
    const sweep = { store, bucket, clock, epoch: new InvocationEpoch(context, clock) };
    const total = { found: 0, deleted: 0, left: 0 };
    for await (const id of marked({ store, clock }, context)) {
      const one = await sweepJob(sweep, id);
      total.found += one.found;
      total.deleted += one.deleted;
      total.left += one.left;
    }
    if (total.deleted > 0)
      observe({ kind: 'orphans-collected', at: clock.now(), count: total.deleted });
    return total;
  };
}

/** The jobs whose mark is due, shard by shard; the index may be stale, so each row is read again. */
async function* marked(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  context: Context,
): AsyncGenerator<JobId> {
  for (let shard = 0; shard < attention.shards; shard++) {
    const rows = store.query(tables.jobs, { pk: String(shard), index: attention.index });
    for await (const row of rows) {
      if (Number(row['sweepAt']) > clock.now() || isLate(context, margin)) break;
      yield String(row['id']) as JobId;
    }
  }
}

/** What one invocation sweeps with, and for how long. */
type Sweep = Pick<World, 'store' | 'bucket' | 'clock'> & { readonly epoch: Epoch };

async function sweepJob(sweep: Sweep, id: JobId): Promise<Swept> {
  const row = await sweep.store.read(tables.jobs, keyOf(id));
  const read = row === undefined ? undefined : jobOf(row);
  if (read?.kind !== 'job') return { found: 0, deleted: 0, left: 0 };
  const { job } = read;
  const done = await collect(sweep, job);
  if (job.sweepAt !== undefined) {
    const again = later(sweep.clock.now(), lengths.secondSweep);
    const mark = swept(job, job.sweepAt, { again, left: done.left });
    await sweep.store.commit([mark], sweep.epoch);
  }
  return done;
}

async function collect(sweep: Sweep, job: JobRow): Promise<Swept> {
  let found = 0;
  let deleted = 0;
  let left = 0;
  for await (const { key, isOver } of looked(sweep, job)) {
    if (isOver) found += 1;
    if (isOver && (await isDeleted(sweep, key))) deleted += 1;
    else left += 1;
  }
  return { found, deleted, left };
}

/** What lies there of a job beside its result; of an erased one the inputs too. */
async function* looked({ bucket }: Sweep, job: JobRow): AsyncGenerator<Looked> {
  const truth = truthOf(job);
  for await (const key of bucket.list(candidatesOf(job.id))) {
    const place = placeOf(key);
    if (place === undefined || key === truth.promoted) continue;
    yield { key, isOver: isGarbage(key, place, truth) };
  }
  if (job.erasedAt === undefined) return;
  for await (const key of bucket.list(inputsOf(job.id))) yield { key, isOver: true };
}

/** An object, and whether nobody can need it any more. */
interface Looked {
  readonly key: string;
  readonly isOver: boolean;
}

async function isDeleted({ bucket, epoch }: Sweep, key: string): Promise<boolean> {
  try {
    await bucket.delete(key, epoch);
    return true;
  } catch {
    return false;
  }
}

const truthOf = (job: JobRow): Truth => ({
  incarnation: job.incarnation,
  generation: job.generation,
  isFinal: isFinal(job),
  promoted: job.status === 'succeeded' ? job.result?.key : undefined,
});
