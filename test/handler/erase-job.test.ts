import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { eraseJob } from '../../lib/handler/erase-job.ts';
import {
  complete,
  createJobs,
  defineJob,
  fail,
  jobHandler,
  minutes,
  sweepHandler,
} from '../../lib/index.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { relayed } from './count-job.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

const padding = 'a person’s '.repeat(2_000);

const input = v.object({ end: v.string(), padding: v.string() });

const twoJob = defineJob({
  name: 'two',
  input,
  async run(job) {
    const one = await job.write('one', padding, { contentType: 'text/plain' });
    await job.write('two', padding, { contentType: 'text/plain' });
    if (job.input.end === 'fails') return fail('asked', 'a person’s name');
    return complete({ result: one, data: { name: 'a person’s name' } });
  },
});

const id = jobId('two', 'a');
const why = { because: 'request 7' };

async function ended(end = 'succeeds'): Promise<AWorld> {
  const world = aWorld();
  await createJobs(world).submit(twoJob, { intentId: 'a', input: { end, padding } });
  await relayed(world);
  const body = world.sent.findLast(({ target }) => target === 'commands-two')?.entry.body ?? '';
  await jobHandler(twoJob, world)(anEvent(aRecord('A1', { body })), aContext(world));
  await relayed(world);
  return world;
}

async function keys(world: AWorld): Promise<string[]> {
  const all: string[] = [];
  for (const prefix of ['inputs/', 'results/'])
    for await (const key of world.bucket.list(prefix)) all.push(key);
  return all;
}

/** The same world to somebody whom the bucket's policy forbids to delete. */
const forbidden = (world: AWorld): AWorld => ({
  ...world,
  bucket: Object.assign(Object.create(world.bucket), {
    list: (prefix: string) => world.bucket.list(prefix),
    delete: () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDenied' })),
  }),
});

describe('an erasure', () => {
  it.each(['succeeds', 'fails'])(
    'of a job that %s leaves nothing that was a person’s',
    async (end) => {
      const world = await ended(end);
      const { status, lastN, incarnation } = world.job('two', 'a');

      const erased = await eraseJob(world, id, why);

      expect(erased).toEqual({ kind: 'changed', objects: 3, left: 0, rows: 0 });
      expect(await keys(world)).toEqual([]);
      expect(JSON.stringify(world.job('two', 'a'))).not.toContain('person');
      expect(world.job('two', 'a')).toMatchObject({
        ...{ id, kind: 'two', status, lastN, incarnation, generation: 1, version: 4 },
        ...{ events: [], firstN: 3, erasedBecause: 'request 7' },
      });
    },
  );

  it('announces nothing', async () => {
    const world = await ended();
    const before = (await relayed(world)).length;

    await eraseJob(world, id, why);

    expect(await relayed(world)).toHaveLength(before);
  });

  it('is seen by whoever asks for the job, and by whoever submits it again', async () => {
    const world = await ended('fails');
    await eraseJob(world, id, why);
    const jobs = createJobs(world);

    const submitted = await jobs.submit(twoJob, { intentId: 'a', input: { end: '', padding: '' } });

    expect(await jobs.get(twoJob, 'a')).toMatchObject({ status: 'erased', was: 'failed' });
    expect(await jobs.result(twoJob, 'a')).toEqual({ kind: 'erased' });
    expect(submitted).toMatchObject({ kind: 'existing', job: { status: 'erased' } });
    expect(await jobs.retry(twoJob, 'a')).toEqual({ kind: 'finished' });
  });

  it('lets a repeated command go', async () => {
    const world = await ended();
    await eraseJob(world, id, why);
    const body = world.sent.findLast(({ target }) => target === 'commands-two')?.entry.body ?? '';

    const response = await jobHandler(twoJob, world)(
      anEvent(aRecord('A2', { body })),
      aContext(world),
    );

    expect(response).toEqual({ batchItemFailures: [] });
    expect(await keys(world)).toEqual([]);
  });

  it('leaves to the sweeper what it may not delete', async () => {
    const world = await ended();

    const erased = await eraseJob(forbidden(world), id, why);
    world.clock.step((world.clock.now() + minutes(20)) as never);
    await sweepHandler(world)({}, aContext(world));

    expect(erased).toEqual({ kind: 'changed', objects: 0, left: 3, rows: 0 });
    expect(await keys(world)).toEqual([]);
  });

  it('that breaks off at the bucket is finished by another', async () => {
    const world = await ended();
    const broken = forbidden(world);
    broken.bucket.delete = () => Promise.reject(new Error('the connection broke'));

    await expect(eraseJob(broken, id, why)).rejects.toThrow('the connection broke');

    expect(await eraseJob(world, id, { because: 'again' })).toMatchObject({
      ...{ kind: 'already', objects: 3, left: 0 },
    });
    expect(world.job('two', 'a')).toMatchObject({ erasedBecause: 'request 7', version: 4 });
  });

  it('of a job that has not ended is refused, and of none is told', async () => {
    const world = aWorld();
    await createJobs(world).submit(twoJob, { intentId: 'a', input: { end: '', padding: '' } });

    await expect(eraseJob(world, id, why)).rejects.toMatchObject({ code: 'job-unfinished' });
    expect(await eraseJob(world, jobId('two', 'b'), why)).toEqual({ kind: 'missing' });
    expect(world.job('two', 'a')).toMatchObject({ status: 'queued', version: 1 });
  });
});
