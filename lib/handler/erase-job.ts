import { candidatesOf, inputsOf } from '../candidate/key.ts';
import { type JobRow, jobOf, keyOf } from '../job/job.ts';
import { refusalsOf } from '../job/refused.ts';
import { asideKey } from '../kernel/aside-key.ts';
import type { JobId } from '../kernel/brand.ts';
import { tables, targets } from '../kernel/settings.ts';
import type { Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { askJob } from './ask-job.ts';
import { surely } from './surely.ts';

/** What an erasure came to. Already: it had been erased, and what was still there is gone now. */
export type Erased =
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'changed' | 'already';
      /** Inputs and results that were deleted. */
      readonly objects: number;
      /** Those that only the sweeper may delete, which it does at its next run. */
      readonly left: number;
      /** Rows beside the job's: refused writes, and events that were set aside. */
      readonly rows: number;
    };

type Parts = Pick<World, 'store' | 'bucket' | 'clock' | 'random'>;

/**
 * Takes what is a person's from a job that has ended, row first; asked again it finishes what a crash left.
 *
 * @throws Failure `job-unfinished` for a job that hasn't ended, and as `askJob` does
 */
export async function eraseJob(
  world: Parts,
  id: JobId,
  { because }: { readonly because: string },
): Promise<Erased> {
  const { kind } = await askJob(world, id, { kind: 'erase', because });
  const row = await world.store.read(tables.jobs, keyOf(id));
  const read = row === undefined ? undefined : jobOf(row);
  if (kind === 'missing' || read?.kind !== 'job') return { kind: 'missing' };
  const objects = await objectsDeleted(world, id);
  const rows = await rowsDeleted(world, read.job);
  return { kind: kind === 'changed' ? kind : 'already', ...objects, rows };
}

async function objectsDeleted({ bucket }: Parts, id: JobId) {
  let objects = 0;
  let left = 0;
  for (const prefix of [inputsOf(id), candidatesOf(id)])
    for await (const key of bucket.list(prefix))
      try {
        await bucket.delete(key);
        objects += 1;
      } catch (thrown) {
        if (!isDenied(thrown)) throw thrown;
        left += 1;
      }
  return { objects, left };
}

/** The bucket's policy lets nobody but the sweeper delete, and the erased row is marked for it. */
const isDenied = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.name === 'AccessDenied';

async function rowsDeleted(world: Parts, job: JobRow): Promise<number> {
  let rows = 0;
  for await (const write of besides(world, job)) {
    await surely(world, [write]);
    rows += 1;
  }
  return rows;
}

async function* besides({ store }: Parts, job: JobRow): AsyncGenerator<Write> {
  const refusals = refusalsOf(job.id);
  for await (const { sk } of store.query(tables.care, { pk: refusals }))
    yield gone(tables.care, refusals, String(sk));
  for (let n = 1; n <= job.lastN; n++) {
    const eventId = `${job.id}:${job.incarnation}:${n}`;
    for (const target of [targets.commands(job.kind), targets.events]) {
      const { pk, sk } = asideKey({ eventId, target });
      if ((await store.read(tables.ledger, { pk, sk })) !== undefined)
        yield gone(tables.ledger, pk, sk);
    }
  }
}

const gone = (table: string, pk: string, sk: string): Write => ({
  table,
  key: { pk, sk },
  when: [],
  kind: 'delete',
});
