import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  createJobs,
  defineJob,
  fail,
  hours,
  jobHandler,
  relayHandler,
  sweepHandler,
} from '../../lib/index.ts';
import { aContext, anEvent, aRecord, aWorld } from './world.ts';

const job = defineJob({
  name: 'quiet',
  input: v.object({}),
  async run(attempt) {
    await attempt.write('one', 'x', { contentType: 'text/plain' });
    return fail('asked', 'the input asked for it');
  },
});

describe('an observer', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no log today');
      },
    ],
    ['lets a promise fail', () => Promise.reject(new Error('no log today'))],
  ])('that %s changes nothing at any door', async (_, observer) => {
    const world = { ...aWorld(), observe: observer as () => void };

    const submitted = await createJobs(world).submit(job, { intentId: 'a', input: {} });
    const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
    const relayed = await relayHandler(world)(
      { Records: batch.map(({ record }) => record) },
      aContext(world),
    );
    const command = anEvent(aRecord('A1', { body: world.sent[0]?.entry.body ?? '' }));
    const worked = await jobHandler(job, world)(command, aContext(world));
    world.clock.step((world.clock.now() + hours(1)) as never);
    const swept = await sweepHandler(world)({}, aContext(world));

    expect(submitted).toMatchObject({ kind: 'created' });
    expect([relayed, worked]).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    expect(world.job('quiet', 'a')).toMatchObject({ status: 'failed' });
    expect(swept).toMatchObject({ deleted: 1 });
  });
});
