import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { eraseJob } from '../../lib/handler/erase-job.ts';
import { isNews } from '../../lib/handler/is-news.ts';
import {
  complete,
  createJobs,
  defineJob,
  jobHandler,
  minutes,
  rebuildProjections,
  relayHandler,
  snapshotProjection,
} from '../../lib/index.ts';
import { headKey } from '../../lib/job/head.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { schemaNumber, tables } from '../../lib/kernel/settings.ts';
import { lose, pass, reconcile, relayed } from './lost.ts';
import { aContext, anEvent, aRecord, aWorld } from './world.ts';

const ordered = defineJob({
  name: 'ordered',
  order: 'submission',
  input: v.object({ secret: v.string() }),
  group: () => 'G',
  run: async () => complete({ data: { secret: 'a person’s result' } }),
});
const key = headKey('ordered', 'G');
const input = { secret: 'a person’s input' };

/** A world in which so many jobs of the group were submitted, and nothing was relayed. */
async function submitted(...intents: readonly string[]) {
  const world = aWorld();
  for (const intentId of intents) await createJobs(world).submit(ordered, { intentId, input });
  return world;
}

describe('the row at the head of a group', () => {
  it('is held back by a relay of an older release than wrote it', async () => {
    const world = await submitted();
    await createJobs(world).submit(ordered, { intentId: 'a', input });
    expect(world.store.peek(tables.jobs, key)).toMatchObject({ schema: schemaNumber });
    const set = { schema: schemaNumber + 1 };
    await world.store.commit([
      { table: tables.jobs, key, when: [], kind: 'update', add: { order: 1 }, set },
    ]);
    const records = world.stream.shards().flatMap(({ records: all }) => all.map((it) => it.record));

    const { batchItemFailures } = await relayHandler(world)(
      { Records: records.filter(isNews) },
      aContext(world),
    );

    expect(world.sent).toHaveLength(1);
    expect(batchItemFailures).toEqual([
      { itemIdentifier: records.at(-1)?.dynamodb?.SequenceNumber },
    ]);
  });

  it('is no job to a reconcile that scans, which sends each lost command of its jobs once', async () => {
    const world = await submitted('a', 'b');
    lose(world);
    pass(world, minutes(20));

    const first = await reconcile(world);
    const second = await reconcile(world);

    expect(first).toMatchObject({ checked: 2, published: 2, unreadable: 0, orderBroken: 2 });
    expect(second).toMatchObject({ published: 0, unreadable: 0 });
    expect(world.sent.map(({ entry }) => JSON.parse(entry.body).intentid).toSorted()).toEqual([
      'a',
      'b',
    ]);
  });

  it('is no job to a rebuild of projections', async () => {
    const world = await submitted('a', 'b');
    const board = snapshotProjection({
      of: ordered,
      name: 'board',
      table: 'own',
      change: () => ({ kind: 'skip' }),
    });

    expect(await rebuildProjections([board], world)).toMatchObject({ jobs: 2, left: [] });
  });

  it('is in neither index of the table', async () => {
    const world = await submitted('a');
    const row = world.store.peek(tables.jobs, key) ?? {};

    expect(Object.keys(row).toSorted()).toEqual([
      ...['command', 'news', 'order', 'pk', 'schema', 'sk'],
    ]);
  });

  it('holds nothing of a person that the row of an erased job doesn’t keep', async () => {
    const world = await submitted('a');
    await relayed(world);
    const body = world.sent[0]?.entry.body ?? '';
    await jobHandler(ordered, world)(anEvent(aRecord('A1', { body })), aContext(world));

    await eraseJob(world, jobId('ordered', 'a'), { because: 'asked' });

    const command = world.store.peek(tables.jobs, key)?.['command'] as Record<string, unknown>;
    const { event, ...ids } = command;
    expect(world.job('ordered', 'a')).toMatchObject({ ...ids, erasedBecause: 'asked' });
    expect(Object.keys(event as object).toSorted()).toEqual([
      ...['at', 'channel', 'data', 'generation', 'id', 'n', 'sequence', 'type', 'version'],
    ]);
    expect(event).toHaveProperty('data', {});
  });
});
