import { gunzipSync } from 'node:zlib';
import { createJobs, jobHandler, relayHandler } from 'lanekeeper';
import type * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fileDatasets } from '../../../functions/export/file-datasets.ts';
import type { exportInput } from '../../../functions/export/input.ts';
import { exportJob } from '../../../functions/export/job.ts';
import { aContext, anEvent, aRecord, aWorld } from '../../handler/world.ts';
import { vega, whole } from './pieces.ts';

const job = exportJob(fileDatasets(vega));

/** Submits an export, brings its command to a worker, and answers what a caller then sees. */
async function run(input: v.InferInput<typeof exportInput>, world = aWorld()) {
  await submit(world, input);
  const records = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  await relayHandler(world)({ Records: records.map(({ record }) => record) }, aContext(world));
  const command = world.sent.at(-1)?.entry;
  const record = aRecord('A1', { body: command?.body ?? '', group: command?.group ?? '' });
  const response = await jobHandler(job, world)(anEvent(record), aContext(world));
  const jobs = createJobs(world);
  return { response, view: await jobs.get(job, 'a'), result: await jobs.result(job, 'a') };
}

const submit = (world: ReturnType<typeof aWorld>, input: v.InferInput<typeof exportInput>) =>
  createJobs(world).submit(job, { intentId: 'a', input });

describe('the export job', () => {
  it('completes with the file as its result, and its size in rows, columns and bytes', async () => {
    const { view, result } = await run({ dataset: 'seattle-weather.csv' });

    const text = result.kind === 'ready' ? (await whole(result.open())).toString() : '';
    expect(text.split('\r\n')).toHaveLength(1_463);
    expect(result).toMatchObject({ contentType: 'text/csv; charset=utf-8', size: text.length });
    expect(view).toMatchObject({
      status: 'succeeded',
      data: { rows: 1_461, columns: 6, bytes: text.length, leftOut: [] },
    });
  });

  it('packs NDJSON when asked', async () => {
    const { result } = await run({ dataset: 'cars.json', format: 'ndjson', compress: true });

    const bytes = result.kind === 'ready' ? await whole(result.open()) : Buffer.alloc(0);
    expect(gunzipSync(bytes).toString().split('\n')).toHaveLength(407);
    expect(result).toMatchObject({
      contentType: 'application/gzip',
      key: expect.stringMatching(/\/export\.ndjson\.gz$/),
    });
  });

  it('notes how many rows it has read, while it runs', async () => {
    const world = aWorld();
    const notes: unknown[] = [];
    const commit = world.store.commit.bind(world.store);
    world.store.commit = (writes) => {
      for (const write of writes)
        if (write.kind === 'update' && write.set?.['progress']) notes.push(write.set['progress']);
      return commit(writes);
    };

    await run({ dataset: 'movies.json' }, world);

    // One note: the world's clock stands still, and a second must pass before the next.
    expect(notes).toEqual([{ rows: expect.any(Number) }]);
  });

  it.each([
    ['no-such.json', 'dataset-missing'],
    ['us-10m.json', 'dataset-malformed'],
  ])('ends as failed for %s, with %s, and its message is acknowledged', async (dataset, code) => {
    const { response, view, result } = await run({ dataset });

    expect(response.batchItemFailures).toEqual([]);
    expect(view).toMatchObject({ status: 'failed', failure: { code } });
    expect(result).toEqual({ kind: 'failed' });
  });

  it('refuses a submit of an input that is wrong, and writes nothing', async () => {
    const world = aWorld();

    const submitted = await submit(world, { dataset: '' });

    expect(submitted).toMatchObject({
      kind: 'refused',
      failure: {
        code: 'input-invalid',
        message: expect.stringContaining('a dataset must be named'),
      },
    });
    expect(world.job('export', 'a')).toEqual({});
  });
});
