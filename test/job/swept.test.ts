import { describe, expect, it } from 'vitest';
import { keyOf } from '../../lib/job/job.ts';
import { swept } from '../../lib/job/swept.ts';
import { days, later, minutes } from '../../lib/kernel/time.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import type { Row } from '../../lib/ports/store.ts';
import { at, running } from './rows.ts';

const again = later(at(0), days(1));

/** A store with a marked row, and what a sweep's write makes of it that had read it differently. */
async function sweptOf(row: Partial<ReturnType<typeof running>>, read: typeof row, left: number) {
  const job = running({ sweepShard: '3', sweepAt: at(minutes(20)), ...row });
  const store = new MemoryStore({ jobs: {} });
  const key = keyOf(job.id);
  const fields = { ...job } as unknown as Row;
  await store.commit([{ kind: 'put', table: 'jobs', key, fields, when: [] }]);
  const seen = { ...job, ...read };
  const { kind } = await store.commit([swept(seen, seen.sweepAt ?? 0, { again, left })]);
  return { kind, row: store.peek('jobs', key) };
}

describe('a mark that was swept', () => {
  it('asks for a second look a day later, for uploads that were in flight (trace H17)', async () => {
    expect(await sweptOf({ sweeps: 0 }, {}, 0)).toMatchObject({
      kind: 'committed',
      row: { sweepShard: '3', sweepAt: again, sweeps: 1, version: 2 },
    });
  });

  it('goes after a second look that left nothing, and stays as long as something is left', async () => {
    const over = await sweptOf({ sweeps: 1 }, {}, 0);
    const left = await sweptOf({ sweeps: 1 }, {}, 1);

    for (const field of ['sweepShard', 'sweepAt', 'sweeps'])
      expect(over.row).not.toHaveProperty(field);
    expect(left.row).toMatchObject({ sweepAt: again, sweeps: 2 });
  });

  it.each([
    ['another time', { sweepAt: at(minutes(5)) }],
    ['another generation', { generation: 0 }],
  ])('stays as it is where it was read with %s (trace H17, case fencing 7)', async (_, read) => {
    const { kind, row } = await sweptOf({ sweeps: 1 }, read, 0);

    expect(kind).toBe('refused');
    expect(row).toMatchObject({ sweepAt: at(minutes(20)), sweeps: 1 });
  });
});
