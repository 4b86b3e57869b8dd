import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { definition, withRun } from '../../lib/handler/define-job.ts';
import {
  complete,
  createJobs,
  defineJob,
  fail,
  jobHandler,
  minutes,
  relayHandler,
  type Store,
} from '../../lib/index.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

const exportJob = defineJob({
  name: 'export',
  input: v.object({
    dataset: v.pipe(v.string(), v.nonEmpty('a dataset must be named, got ""')),
    padding: v.optional(v.string(), ''),
  }),
  async run(job) {
    if (job.input.dataset === 'bad') return fail('no-dataset', 'there is none');
    const result = await job.write('a.txt', 'abc', { contentType: 'text/plain' });
    return complete({ result, data: { rows: 1 } });
  },
});

const input = { dataset: 'cars' };

/** Runs what was submitted. */
async function worked(world: AWorld): Promise<void> {
  const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  await relayHandler(world)({ Records: batch.map(({ record }) => record) }, aContext(world));
  const command = world.sent.findLast(({ target }) => target === 'commands-export');
  const record = aRecord('A1', { body: command?.entry.body ?? '' });
  await jobHandler(exportJob, world)(anEvent(record), aContext(world));
}

/** Lets a worker claim what was submitted and stand still in its code for good. */
async function claimed(world: AWorld): Promise<void> {
  const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  await relayHandler(world)({ Records: batch.map(({ record }) => record) }, aContext(world));
  const body = world.sent.findLast(({ target }) => target === 'commands-export')?.entry.body ?? '';
  const stuck = withRun(definition(exportJob), () => new Promise(() => {}));
  void jobHandler(stuck, world)(anEvent(aRecord('A1', { body })), aContext(world));
  while (world.job('export', 'a')['status'] !== 'running')
    await new Promise((resolve) => setImmediate(resolve));
}

/** A store whose replies get lost as often as asked. */
const losing = (world: AWorld, times: number): Store => {
  let left = times;
  return Object.assign(Object.create(world.store), {
    commit: async (writes: Parameters<Store['commit']>[0]) => {
      const commit = await world.store.commit(writes);
      left -= 1;
      return left >= 0 ? { kind: 'unknown' } : commit;
    },
  });
};

describe('submitting', () => {
  it('makes a job, and the same intent again is the same job', async () => {
    const world = aWorld();
    const jobs = createJobs(world);

    const first = await jobs.submit(exportJob, { intentId: 'a', input });
    const second = await jobs.submit(exportJob, { intentId: 'a', input: { dataset: 'cars' } });

    expect(first).toMatchObject({ kind: 'created', job: { status: 'queued', version: 1 } });
    expect(second).toMatchObject({ kind: 'existing' });
    expect(world.kinds().filter((kind) => kind === 'job-submitted')).toHaveLength(1);
  });

  it('of one intent with two inputs at once makes one job, and refuses the other', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    const large = (dataset: string) => ({ dataset, padding: 'x'.repeat(20_000) });

    const both = await Promise.all(
      ['cars', 'movies'].map((dataset) =>
        jobs.submit(exportJob, { intentId: 'a', input: large(dataset) }),
      ),
    );

    expect(both).toMatchObject([
      { kind: 'created' },
      { kind: 'refused', failure: { code: 'intent-conflict', facts: { differs: 'input' } } },
    ]);
    expect(world.sent).toEqual([]);
    await worked(world);
    expect(world.job('export', 'a')).toMatchObject({ status: 'succeeded' });
  });

  it('hands on what the schema or the group of a kind throws, and writes nothing', async () => {
    const world = aWorld();
    const broken = new Error('the schema is broken');
    const validate = () => {
      throw broken;
    };
    const job = defineJob({
      name: 'export',
      input: { '~standard': { version: 1, vendor: 'own', validate } },
      run: async () => complete(),
    });

    const submitting = createJobs(world).submit(job, { intentId: 'a', input });

    await expect(submitting).rejects.toBe(broken);
    expect(world.store.all('jobs')).toEqual([]);
  });

  it('is one job for fifty callers at once', async () => {
    const world = aWorld();
    const jobs = createJobs(world);

    const all = await Promise.all(
      Array.from({ length: 50 }, () => jobs.submit(exportJob, { intentId: 'a', input })),
    );

    expect(all.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(all.filter(({ kind }) => kind === 'existing')).toHaveLength(49);
  });

  it.each([
    [
      'the same intent with other input',
      { intentId: 'a', input: { dataset: 'movies' } },
      'intent-conflict',
    ],
    ['the same intent in another group', { intentId: 'a', input, groupId: 'B' }, 'intent-conflict'],
    ['input that the schema refuses', { intentId: 'b', input: { dataset: '' } }, 'input-invalid'],
    [
      'a group id that SQS would refuse',
      { intentId: 'b', input, groupId: 'a group' },
      'group-id-invalid',
    ],
    [
      'a group id that is too long',
      { intentId: 'b', input, groupId: 'x'.repeat(129) },
      'group-id-invalid',
    ],
    ['a group that is no text', { intentId: 'b', input, groupId: 42 as never }, 'group-id-invalid'],
    ['an intent that is no text', { intentId: 42 as never, input }, 'intent-invalid'],
    ['an intent that UTF-8 can’t carry', { intentId: 'a\ud800', input }, 'intent-invalid'],
    ['no input at all', { intentId: 'b' } as never, 'input-invalid'],
    ['an empty intent', { intentId: '', input }, 'intent-invalid'],
    ['an intent above 1 KB', { intentId: 'x'.repeat(1_025), input }, 'intent-invalid'],
    [
      'input above 6 MiB',
      { intentId: 'b', input: { dataset: 'x'.repeat(6 * 1024 * 1024) } },
      'input-too-large',
    ],
  ])('refuses %s, and writes nothing', async (_, request, code) => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'a', input, groupId: 'A' });
    const before = world.store.all('jobs');

    const submitted = await jobs.submit(exportJob, request);

    expect(submitted).toMatchObject({ kind: 'refused', failure: { code, remedy: 'dead-letter' } });
    expect(world.store.all('jobs')).toEqual(before);
  });

  it('refuses input that JSON would change, such as a date', async () => {
    const jobs = createJobs(aWorld());
    const cyclic: { dataset: string; self?: unknown } = { dataset: 'cars' };
    cyclic.self = cyclic;

    const submitted = await jobs.submit(exportJob, { intentId: 'a', input: cyclic });

    expect(submitted).toMatchObject({ kind: 'refused', failure: { code: 'input-invalid' } });
  });

  it('compares the input as it was submitted, before defaults (trace H6)', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'a', input });

    const explicit = await jobs.submit(exportJob, {
      intentId: 'a',
      input: { ...input, padding: '' },
    });

    expect(explicit).toMatchObject({ kind: 'refused', failure: { code: 'intent-conflict' } });
  });

  it('lays input above 16 KB beside the row, under its own hash, and hands it to the attempt', async () => {
    const world = aWorld();
    const padding = 'ä'.repeat(10_000);
    await createJobs(world).submit(exportJob, { intentId: 'a', input: { ...input, padding } });
    await createJobs(world).submit(exportJob, { intentId: 'a', input: { ...input, padding } });

    await worked(world);

    const row = world.job('export', 'a');
    expect(row).not.toHaveProperty('input');
    expect(row['inputKey']).toMatch(/^inputs\/export-[0-9a-f]{32}\/[0-9a-f]{64}$/);
    expect(row).toMatchObject({ status: 'succeeded' });
  });

  it('tells its winner that it won when the reply got lost', async () => {
    const world = aWorld();
    const jobs = createJobs({ ...world, store: losing(world, 1) });

    const submitting = jobs.submit(exportJob, { intentId: 'a', input });
    await untilSlept(world);

    expect(await submitting).toMatchObject({ kind: 'created' });
  });

  it('throws when no reply comes at all, since it may have happened', async () => {
    const world = aWorld();
    const jobs = createJobs({ ...world, store: losing(world, 99) });

    const submitting = jobs.submit(exportJob, { intentId: 'a', input }).catch((thrown) => thrown);
    await untilSlept(world);

    expect(await submitting).toMatchObject({ code: 'submit-unconfirmed', remedy: 'try-again' });
  });

  it('gives its writes to a transaction of the caller’s own, which an existing intent refuses', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    const order = (id: string) => ({
      kind: 'put' as const,
      table: 'own',
      key: { pk: id },
      fields: {},
      when: [],
    });
    const commit = async (id: string) =>
      world.store.commit([
        ...(await jobs.submitWrites(exportJob, { intentId: 'a', input })),
        order(id),
      ]);

    const first = await commit('o-1');
    const second = await commit('o-2');

    expect(first.kind).toBe('committed');
    expect(second).toMatchObject({ kind: 'refused', at: 0 });
    expect(world.store.peek('own', { pk: 'o-2' })).toBeUndefined();
    expect(await jobs.get(exportJob, 'a')).toMatchObject({ status: 'queued' });
  });

  it('refuses by a throw where it only gives writes', async () => {
    const jobs = createJobs(aWorld());

    const writes = jobs.submitWrites(exportJob, { intentId: 'a', input: { dataset: '' } });

    await expect(writes).rejects.toMatchObject({ code: 'input-invalid' });
  });
});

/** Lets a caller that waits between its tries go on. */
async function untilSlept(world: AWorld): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    world.clock.step((world.clock.now() + 10_000) as never);
  }
}

describe('looking at a job', () => {
  it('shows what its state has', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'a', input });
    await worked(world);

    const view = await jobs.get(exportJob, 'a');
    const result = await jobs.result(exportJob, 'a', { expiresIn: minutes(5) });

    expect(view).toMatchObject({ status: 'succeeded', data: { rows: 1 }, result: { size: 3 } });
    expect(result).toMatchObject({ kind: 'ready', size: 3, contentType: 'text/plain' });
    expect(result.kind === 'ready' && result.url).toContain('memory://results/results/export-');
  });

  it('tells what is missing from what is not yet, failed or cancelled', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'bad', input: { dataset: 'bad' } });

    const kinds = [await jobs.result(exportJob, 'none'), await jobs.result(exportJob, 'bad')];
    await worked(world);
    kinds.push(await jobs.result(exportJob, 'bad'));
    await jobs.submit(exportJob, { intentId: 'c', input });
    await jobs.cancel(exportJob, 'c');
    kinds.push(await jobs.result(exportJob, 'c'));

    expect(kinds.map(({ kind }) => kind)).toEqual(['missing', 'not-yet', 'failed', 'cancelled']);
    expect(await jobs.get(exportJob, 'none')).toBeUndefined();
    expect(await jobs.get(exportJob, 'bad')).toMatchObject({ failure: { code: 'no-dataset' } });
  });
});

describe('an operator', () => {
  it.each([
    ['cancels', 'a queued job at once', 'cancel', 'queued', 'changed'],
    ['finds', 'a cancelled job cancelled already', 'cancel', 'cancelled', 'already'],
    ['can’t cancel', 'what is final', 'cancel', 'succeeded', 'finished'],
    ['can’t cancel', 'what has failed', 'cancel', 'failed', 'finished'],
    ['finds', 'a queued job queued already', 'release', 'queued', 'already'],
    ['can’t release', 'what is final', 'release', 'succeeded', 'finished'],
    ['queues', 'a failed job again', 'retry', 'failed', 'changed'],
    ['can’t queue', 'a succeeded job again (trace H28)', 'retry', 'succeeded', 'finished'],
    ['can’t queue', 'a cancelled job again', 'retry', 'cancelled', 'finished'],
    ['finds', 'a queued job queued already, asked to retry it', 'retry', 'queued', 'already'],
  ] as const)('%s %s', async (_verb, _what, verb, state, answer) => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, {
      intentId: 'a',
      input: { dataset: state === 'failed' ? 'bad' : 'cars' },
    });
    if (state === 'cancelled') await jobs.cancel(exportJob, 'a');
    if (state === 'succeeded' || state === 'failed') await worked(world);

    const changed = await jobs[verb](exportJob, 'a', { because: 'the test asks' });

    expect(changed).toEqual({ kind: answer });
  });

  it('is told when there is no such job', async () => {
    const jobs = createJobs(aWorld());

    expect(await jobs.cancel(exportJob, 'none')).toEqual({ kind: 'missing' });
  });

  it('gives a failed job a new life: budgets whole, generation and version up, a new command (trace H28)', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'a', input: { dataset: 'bad' } });
    await worked(world);
    const before = world.job('export', 'a');

    await jobs.retry(exportJob, 'a', { because: 'the dataset is back' });
    await worked(world);

    const row = world.job('export', 'a');
    expect(row).toMatchObject({
      status: 'failed',
      failures: 0,
      generation: Number(before['generation']) + 2,
    });
    const types = (row['events'] as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(['export.run', 'export.failed', 'export.run', 'export.failed']);
  });

  it.each(['cancel', 'release', 'retry'] as const)(
    'gives a reason of at most 4 KB to %s, so that the row’s end always fits',
    async (verb) => {
      const world = aWorld();
      const jobs = createJobs(world);
      await jobs.submit(exportJob, { intentId: 'a', input });
      const before = world.job('export', 'a');

      const long = jobs[verb](exportJob, 'a', { because: 'ä'.repeat(2_049) });
      const other = jobs[verb](exportJob, 'a', { because: { who: 'me' } as never });

      await expect(long).rejects.toMatchObject({
        code: 'because-invalid',
        message: expect.stringContaining('4098 bytes'),
      });
      await expect(other).rejects.toMatchObject({ message: expect.stringContaining('object') });
      expect(world.job('export', 'a')).toEqual(before);
    },
  );

  it('acts on the row as it is, when somebody else changes it meanwhile', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'a', input });
    const read = world.store.read.bind(world.store);
    const late: Store = Object.assign(Object.create(world.store), {
      read: async (...args: Parameters<Store['read']>) => {
        const row = await read(...args);
        await worked(world);
        return row;
      },
      commit: (writes: Parameters<Store['commit']>[0]) => world.store.commit(writes),
    });

    const changed = await createJobs({ ...world, store: late }).cancel(exportJob, 'a');

    expect(changed).toEqual({ kind: 'finished' });
    expect(world.job('export', 'a')).toMatchObject({ status: 'succeeded' });
  });

  it.each<['release' | 'retry', string]>([
    ['release', 'cars'],
    ['retry', 'bad'],
  ])(
    'acts once by %s though the reply got lost and a worker went on meanwhile (promise P10)',
    async (verb, dataset) => {
      const world = aWorld();
      const jobs = createJobs(world);
      await jobs.submit(exportJob, { intentId: 'a', input: { dataset } });
      let held: unknown;
      const act = async () => {
        let isFirst = true;
        const store: Store = Object.assign(Object.create(world.store), {
          read: (...key: Parameters<Store['read']>) => world.store.read(...key),
          commit: async (writes: Parameters<Store['commit']>[0]) => {
            const commit = await world.store.commit(writes);
            if (!isFirst) return commit;
            isFirst = false;
            await (verb === 'retry' ? worked(world) : claimed(world));
            const { generation, events } = world.job('export', 'a');
            held = { generation, events };
            return { kind: 'unknown' };
          },
        });
        const changing = createJobs({ ...world, store })[verb](exportJob, 'a');
        await untilSlept(world);
        return changing;
      };
      if (verb === 'retry') await worked(world);
      else await claimed(world);

      const changed = await act();

      expect(changed).toEqual({ kind: 'changed' });
      const { generation, events } = world.job('export', 'a');
      expect({ generation, events }).toEqual(held);
    },
  );

  it('can release until the room for the end would be touched, and the end still fits (trace H4)', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await jobs.submit(exportJob, { intentId: 'a', input: { dataset: 'bad' } });
    const because = 'x'.repeat(4_000);
    const { pk, sk } = world.job('export', 'a') as { pk: string; sk: string };
    const history = { events: [{ n: 0, data: 'x'.repeat(170_000) }] };
    await world.store.commit([
      { table: 'jobs', key: { pk, sk }, when: [], kind: 'update', append: history },
    ]);
    let refusal: unknown;
    for (let i = 0; i < 20 && refusal === undefined; i++) {
      await worked(world);
      await jobs.retry(exportJob, 'a', { because }).catch((thrown) => {
        refusal = thrown;
      });
    }

    expect(refusal).toMatchObject({ code: 'events-full' });
    expect(world.job('export', 'a')).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(world.job('export', 'a')).length).toBeLessThan(400 * 1024);
  });
});

describe('defining a job', () => {
  const settings = { input: v.object({}), run: async () => complete() };

  it.each(['', 'with space', 'ü', 'x'.repeat(65), 'a/b', undefined, 42])(
    'refuses the name %j',
    (name) => {
      expect(() => defineJob({ ...settings, name: name as string })).toThrow(
        expect.objectContaining({ code: 'job-name-invalid' }),
      );
    },
  );

  it.each<[object, string]>([
    [{ input: undefined }, 'job-input-invalid'],
    [{ input: { type: 'object' } }, 'job-input-invalid'],
    [{ run: undefined }, 'job-code-invalid'],
    [{ group: 'A' }, 'job-code-invalid'],
  ])('refuses %j, though callers without types may pass it', (part, code) => {
    expect(() => defineJob({ ...settings, name: 'x', ...part })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining('job "x"') }),
    );
  });

  it.each([
    { failures: 0 },
    { failures: Number.NaN },
    { releases: undefined as never },
    { takeovers: 1.5 },
    { releases: -1 },
    { attempt: minutes(16) },
    { attempt: minutes(0) },
  ])('refuses the limit %j, and shows it', (limits) => {
    expect(() => defineJob({ ...settings, name: 'x', limits })).toThrow(
      expect.objectContaining({ code: 'job-limit-invalid' }),
    );
  });

  it('is what a worker asks for: a look-alike is refused at start, and so are two of one name', () => {
    const job = defineJob({ ...settings, name: 'x' });
    const fake = { name: 'x', limits: job.limits } as typeof job;

    expect(() => jobHandler(fake, aWorld())).toThrow(
      expect.objectContaining({ code: 'job-not-defined' }),
    );
    for (const none of [[], undefined, [undefined]])
      expect(() => jobHandler(none as never, aWorld())).toThrow(
        expect.objectContaining({ code: 'job-not-defined' }),
      );
    expect(() => jobHandler([job, defineJob({ ...settings, name: 'x' })], aWorld())).toThrow(
      expect.objectContaining({ code: 'job-name-twice' }),
    );
  });
});
