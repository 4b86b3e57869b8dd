import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  createJobs,
  days,
  defineJob,
  fail,
  hours,
  jobHandler,
  minutes,
  relayHandler,
  seconds,
  sweepHandler,
  transient,
} from '../../lib/index.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

type End = 'promotes one of two' | 'fails' | 'tries again' | 'promotes it';

const twoJob = defineJob({
  name: 'two',
  input: v.object({ end: v.string() }),
  async run(job) {
    const text = { contentType: 'text/plain' };
    const one = await job.write('one', 'one', text);
    const end = job.input.end as End;
    if (end === 'promotes it') return complete({ result: one });
    await job.write('two', 'two', text);
    if (end === 'fails') return fail('asked', 'the input asked for it');
    if (end === 'tries again' && job.generation === 1) throw transient('busy', 'once');
    return complete({ result: one });
  },
});

async function ended(end: End, world = aWorld()) {
  await createJobs(world).submit(twoJob, { intentId: 'a', input: { end } });
  const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  await relayHandler(world)({ Records: batch.map(({ record }) => record) }, aContext(world));
  const body = world.sent.findLast(({ target }) => target === 'commands-two')?.entry.body ?? '';
  for (let i = 0; i < (end === 'tries again' ? 2 : 1); i++)
    await jobHandler(twoJob, world)(anEvent(aRecord('A1', { body })), aContext(world));
  return world;
}

const forward = (world: AWorld, by: number) => world.clock.step((world.clock.now() + by) as never);
const sweep = (world: AWorld) => sweepHandler(world)({}, aContext(world));

/** A promise that the test resolves. */
function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

async function keys(world: AWorld): Promise<string[]> {
  const all: string[] = [];
  for await (const key of world.bucket.list('results/'))
    all.push(key.split('/').slice(3).join('/'));
  return all.map((key) => key.replace(/\/[^/]+\//, '/'));
}

describe('a sweep', () => {
  it.each<[End, string[], number]>([
    ['promotes one of two', ['0000000001/one'], 1],
    ['fails', [], 2],
    ['tries again', ['0000000002/one'], 3],
  ])('of a job that %s leaves only what is promoted (trace H17)', async (end, left, deleted) => {
    const world = await ended(end);
    forward(world, minutes(17));

    const swept = await sweep(world);

    expect(swept).toEqual({ found: deleted, deleted, left: 0 });
    expect(await keys(world)).toEqual(left);
    expect(world.happenings).toContainEqual(
      expect.objectContaining({ kind: 'orphans-collected', count: deleted }),
    );
  });

  it('has nothing to look at on the happy path', async () => {
    const world = await ended('promotes it');
    forward(world, days(2));

    expect(await sweep(world)).toEqual({ found: 0, deleted: 0, left: 0 });
    expect(world.job('two', 'a')).not.toHaveProperty('sweepAt');
  });

  it('waits until the longest invocation behind the lease is over', async () => {
    const world = await ended('fails');
    forward(world, minutes(15));

    expect(await sweep(world)).toEqual({ found: 0, deleted: 0, left: 0 });
    expect(await keys(world)).toHaveLength(2);
  });

  it('looks once more a day later, for uploads that were in flight, and then forgets the job', async () => {
    const world = await ended('fails');
    forward(world, minutes(17));
    await sweep(world);
    const late = `results/${world.job('two', 'a')['id']}/${world.job('two', 'a')['incarnation']}/0000000001/01JZ/late`;
    await world.bucket.create(
      late,
      (async function* () {
        yield new Uint8Array([1]);
      })(),
      { contentType: 'text/plain', attempt: 'A' },
    );

    forward(world, hours(23));
    const early = await sweep(world);
    forward(world, hours(2));
    const second = await sweep(world);

    expect([early.deleted, second.deleted]).toEqual([0, 1]);
    expect(world.job('two', 'a')).not.toHaveProperty('sweepAt');
    expect(world.job('two', 'a')).not.toHaveProperty('sweepShard');
  });

  it('never deletes a candidate that may still be promoted, however old it is (case fencing 38)', async () => {
    const world = aWorld();
    const swept: unknown[] = [];
    const slow = defineJob({
      name: 'two',
      input: v.object({ end: v.string() }),
      async run(job) {
        const file = await job.write('one', 'one', { contentType: 'text/plain' });
        if (job.generation === 1) throw transient('busy', 'once');
        forward(world, minutes(7));
        swept.push(await sweep(world));
        return complete({ result: file });
      },
    });
    await createJobs(world).submit(slow, { intentId: 'a', input: { end: '' } });
    const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
    await relayHandler(world)({ Records: batch.map(({ record }) => record) }, aContext(world));
    const body = world.sent[0]?.entry.body ?? '';
    const handler = jobHandler(slow, world);
    await handler(anEvent(aRecord('A1', { body })), aContext(world));
    forward(world, minutes(10));

    await handler(anEvent(aRecord('A1', { body })), aContext(world, minutes(15)));

    expect(swept).toEqual([{ found: 1, deleted: 1, left: 1 }]);
    expect(world.job('two', 'a')).toMatchObject({ status: 'succeeded' });
    expect(await keys(world)).toEqual(['0000000002/one']);
  });

  it('never deletes the candidate of an attempt that an operator’s retry began while the sweep was reading', async () => {
    const world = aWorld();
    const job = defineJob({
      name: 'two',
      input: v.object({ end: v.string() }),
      async run(attempt) {
        const file = await attempt.write('one', 'one', { contentType: 'text/plain' });
        return attempt.generation === 1
          ? fail('asked', 'the first time')
          : complete({ result: file });
      },
    });
    await createJobs(world).submit(job, { intentId: 'a', input: { end: '' } });
    const record = async () => {
      const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
      await relayHandler(world)({ Records: batch.map((it) => it.record) }, aContext(world));
      const sent = world.sent.findLast(({ target }) => target === 'commands-two');
      return anEvent(aRecord('A1', { body: sent?.entry.body ?? '' }));
    };
    const handler = jobHandler(job, world);
    await handler(await record(), aContext(world));
    forward(world, minutes(17));
    const read = world.store.read.bind(world.store);
    const create = world.bucket.create.bind(world.bucket);
    const swept = latch();
    const written = latch();
    world.bucket.create = async (...all) => {
      const created = await create(...all);
      written.open();
      await swept.opened;
      return created;
    };
    let running: Promise<unknown> = Promise.resolve();
    world.store.read = async (...key) => {
      const row = await read(...key);
      world.store.read = read;
      await createJobs(world).retry(job, 'a');
      running = handler(await record(), aContext(world));
      await written.opened;
      return row;
    };

    await sweep(world);
    swept.open();
    await running;

    expect(world.job('two', 'a')).toMatchObject({ status: 'succeeded', generation: 3 });
    expect(await keys(world)).toEqual(['0000000003/one']);
  });

  it('leaves what it could not delete for the next one', async () => {
    const world = await ended('fails');
    forward(world, minutes(17));
    const remove = world.bucket.delete.bind(world.bucket);
    world.bucket.delete = async () => {
      throw new Error('slow down');
    };

    const first = await sweep(world);
    world.bucket.delete = remove;
    forward(world, hours(25));
    const second = await sweep(world);

    expect(first).toEqual({ found: 2, deleted: 0, left: 2 });
    expect(second).toEqual({ found: 2, deleted: 2, left: 0 });
  });

  it('leaves alone what does not parse as a candidate', async () => {
    const world = await ended('fails');
    const foreign = `results/${world.job('two', 'a')['id']}/readme.txt`;
    await world.bucket.create(
      foreign,
      (async function* () {
        yield new Uint8Array([1]);
      })(),
      { contentType: 'text/plain', attempt: 'A' },
    );
    forward(world, minutes(17));

    await sweep(world);

    expect(await world.bucket.head(foreign)).toBeDefined();
  });

  it('may be run by several at once, of whom the later leaves the mark alone (case fencing 7, 59)', async () => {
    const world = await ended('fails');
    forward(world, minutes(17));

    const [a, b] = await Promise.all([sweep(world), sweep(world)]);

    expect(await keys(world)).toEqual([]);
    expect(a.left + b.left).toBe(0);
    expect(world.job('two', 'a')).toMatchObject({ sweeps: 1 });
  });

  it('stops in time, and leaves the rest marked', async () => {
    const world = await ended('fails');
    forward(world, minutes(17));

    const swept = await sweepHandler(world)({}, aContext(world, seconds(1)));

    expect(swept).toEqual({ found: 0, deleted: 0, left: 0 });
    expect(world.job('two', 'a')).toMatchObject({ sweeps: 0 });
  });
});
