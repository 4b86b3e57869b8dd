import { describe, expect, it } from 'vitest';
import { changed } from '../../lib/job/changed.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { attention } from '../../lib/kernel/settings.ts';
import { at, running } from './rows.ts';

describe('a mark for the sweeper', () => {
  it('is spread over all shards of the index, the same for a job every time (case outbox 51)', () => {
    const marked = (intent: string) => {
      const job = running({ id: jobId('export', intent) });
      const write = changed(job, { when: [], set: {}, mark: true, at: at(0) });
      return write.kind === 'update' ? write.set?.['sweepShard'] : undefined;
    };
    const intents = Array.from({ length: 400 }, (_, i) => `intent ${i}`);
    const shards = intents.map(marked);

    const count = (shard: number) => shards.filter((it) => it === String(shard)).length;
    const counts = Array.from({ length: attention.shards }, (_, shard) => count(shard));
    expect(Math.min(...counts)).toBeGreaterThan(400 / attention.shards / 2);
    expect(counts.reduce((sum, it) => sum + it)).toBe(400);
    expect(intents.map(marked)).toEqual(shards);
  });
});
