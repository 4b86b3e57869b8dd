import { describe, expect, it } from 'vitest';
import { createJobs, jobHandler, minutes, type Store, type Write } from '../../lib/index.ts';
import { commandOf, commands, countJob, counts, slept } from './count-job.ts';
import { type AWorld, aContext, anEvent, aWorld } from './world.ts';

/** A worker whose job is released by an operator while it runs; its writes go through `commit`. */
async function fenced(world: AWorld, commit: Store['commit'], notes = 0) {
  const job: ReturnType<typeof countJob> = countJob(async (own) => {
    await createJobs(world).release(job, 'A1');
    for (let i = 0; i < notes; i++) await own.progress({ i }).catch(() => {});
    return counts(own);
  });
  await commands(world, job, 'A1');
  const store = Object.assign(Object.create(world.store) as Store, { commit });
  const handler = jobHandler(job, { ...world, store });
  const started = world.clock.now();
  const response = await slept(world, handler(anEvent(commandOf(world, 'A1')), aContext(world)));
  const left = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return { left, took: world.clock.now() - started };
}

const isKept = ([write]: readonly Write[]): boolean => write?.table === 'care';

describe('a worker that the fence refused', () => {
  it('keeps that with one put, of no epoch, and no other write', async () => {
    const world = aWorld();
    const seen: unknown[] = [];

    await fenced(world, (writes, epoch) => {
      seen.push([writes[0]?.table, writes[0]?.kind, epoch !== undefined]);
      return world.store.commit(writes, epoch);
    });

    expect(seen).toEqual([
      ['jobs', 'update', true],
      ['jobs', 'update', true],
      ['care', 'put', false],
    ]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'queued', version: 3 });
  });

  it('keeps one refusal, however much it would still have sent', async () => {
    const world = aWorld();
    let kept = 0;

    await fenced(
      world,
      (writes, epoch) => {
        if (isKept(writes)) kept += 1;
        return world.store.commit(writes, epoch);
      },
      3,
    );

    expect(kept).toBe(1);
  });

  it.each<[string, Store['commit']]>([
    ['throws', () => Promise.reject(new Error('the table is not there'))],
    ['gives no reply', async () => ({ kind: 'unknown' })],
    [
      'throws at once',
      () => {
        throw new TypeError('no such table');
      },
    ],
  ])('answers the same where the store %s', async (_, keep) => {
    const world = aWorld();

    const { left } = await fenced(world, (writes, epoch) =>
      isKept(writes) ? keep(writes) : world.store.commit(writes, epoch),
    );

    expect(left).toEqual(['A1']);
    expect(world.happenings.slice(-2)).toMatchObject([
      { kind: 'write-fenced', what: 'complete', by: 2 },
      { kind: 'message-failed', failure: { code: 'superseded' } },
    ]);
  });

  it('answers before its invocation ends where the store stands still', async () => {
    const world = aWorld();

    const { left, took } = await fenced(world, (writes, epoch) =>
      isKept(writes) ? new Promise(() => {}) : world.store.commit(writes, epoch),
    );

    expect(left).toEqual(['A1']);
    expect(took).toBeLessThan(minutes(1));
    expect(world.happenings.at(-1)).toMatchObject({ failure: { code: 'superseded' } });
  });
});
