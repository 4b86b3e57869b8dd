import { describe, expect, it } from 'vitest';
import { days, jobHandler, sweepHandler } from '../../lib/index.ts';
import { commands, countJob, counts } from './count-job.ts';
import { aContext, anEvent, aWorld } from './world.ts';

describe('a sweep', () => {
  it('reads nothing of a history without orphans, however long it is (case outbox 50)', async () => {
    const world = aWorld();
    const job = countJob(counts);
    const names = Array.from({ length: 40 }, (_, i) => `${String.fromCodePoint(65 + i)}1`);
    for (const record of await commands(world, job, ...names))
      await jobHandler(job, world)(anEvent(record), aContext(world));
    world.clock.step((world.clock.now() + days(2)) as never);
    const touched: string[] = [];
    const store = {
      knows: () => true,
      read: async () => void touched.push('read'),
      commit: async () => ({ kind: 'unknown' as const }),
      async *query(table: string, by: Parameters<typeof world.store.query>[1]) {
        for await (const row of world.store.query(table, by)) {
          touched.push('row');
          yield row;
        }
      },
      scan: () => {
        throw new Error('a sweep scans nothing');
      },
    };

    const swept = await sweepHandler({ ...world, store })({}, aContext(world));

    expect(swept).toEqual({ found: 0, deleted: 0, left: 0 });
    expect(touched).toEqual([]);
  });
});
