import { Readable } from 'node:stream';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { encoded } from '../../lib/candidate/encoded.ts';
import {
  type Attempt,
  type Bucket,
  complete,
  createJobs,
  defineJob,
  type JobAnswer,
  jobHandler,
  relayHandler,
  seconds,
} from '../../lib/index.ts';
import { MemoryBucket } from '../../lib/local/memory-bucket.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

const text = { contentType: 'text/plain' };

/** The job of these tests, as an operator names it. */
const counting = defineJob({ name: 'count', input: v.object({}), run: async () => complete() });

/** Runs one attempt of a job with this code, in this world. */
async function attempted(
  world: AWorld,
  run: (job: Attempt<{ n: number }>) => Promise<JobAnswer<unknown>>,
) {
  const job = defineJob({ name: 'count', input: v.object({ n: v.number() }), run });
  await createJobs(world).submit(job, { intentId: 'a', input: { n: 1 } });
  const batch = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  await relayHandler(world)({ Records: batch.map(({ record }) => record) }, aContext(world));
  const body = world.sent[0]?.entry.body ?? '';
  await jobHandler(job, world)(anEvent(aRecord('A1', { body })), aContext(world));
  return { job, row: world.job('count', 'a') };
}

async function textOf(bucket: Bucket, key: string): Promise<string> {
  let all = '';
  for await (const chunk of bucket.open(key)) all += new TextDecoder().decode(chunk);
  return all;
}

async function keys(bucket: Bucket): Promise<string[]> {
  const all: string[] = [];
  for await (const key of bucket.list('results/')) all.push(key);
  return all;
}

async function* pieces(...all: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* all;
}

const unconfirmed = {
  status: 'queued',
  failures: 1,
  failure: { code: 'candidate-unconfirmed' },
};

describe('an attempt that writes', () => {
  it.each<[string, Parameters<Attempt<unknown>['write']>[1], string]>([
    ['text', 'zwölf', 'zwölf'],
    ['bytes', new Uint8Array([65, 66]), 'AB'],
    ['a stream of both', pieces('a', new Uint8Array([66]), '', 'ü'), 'aBü'],
    ['nothing', '', ''],
  ])('takes %s, and counts bytes', async (_, from, wanted) => {
    const world = aWorld();

    const { row } = await attempted(world, async (job) => {
      const result = await job.write('file', from, text);
      return complete({ result, data: { size: result.size } });
    });

    const { key, size } = row['result'] as { key: string; size: number };
    expect(await textOf(world.bucket, key)).toBe(wanted);
    expect(size).toBe(Buffer.byteLength(wanted));
  });

  it('writes to a key that holds job, incarnation, generation and attempt', async () => {
    const world = aWorld();

    const { row } = await attempted(world, async (job) =>
      complete({ result: await job.write('file', 'x', text) }),
    );

    expect(row['result']).toMatchObject({
      key: `results/${row['id']}/${row['incarnation']}/0000000001/${row['attemptId']}/file`,
      bucket: 'results',
    });
  });

  it('takes the same bytes under one name again, and refuses other bytes: nothing is overwritten', async () => {
    const world = aWorld();

    const { row } = await attempted(world, async (job) => {
      const first = await job.write('file', 'x', text);
      expect(await job.write('file', 'x', text)).toEqual(first);
      await job.write('file', 'other', text);
      return complete({ result: first });
    });

    expect(row).toMatchObject({ status: 'failed', failure: { code: 'candidate-taken' } });
  });

  it.each<[string, unknown]>([
    ['a stream of objects', Readable.from([{ row: 1 }, { row: 2 }])],
    ['a list of numbers', [1, 2]],
    ['nothing at all', undefined],
    ['null', null],
    ['a number', 42],
  ])(
    'refuses %s instead of leaving it out (it type-checks: streams say nothing of their pieces)',
    async (_, from) => {
      const world = aWorld();

      const { row } = await attempted(world, async (job) =>
        complete({ result: await job.write('file', from as never, text) }),
      );

      expect(row).toMatchObject({ status: 'failed', failure: { code: 'candidate-not-bytes' } });
      expect(await keys(world.bucket)).toEqual([]);
    },
  );

  it.each(['', '../up', 'a/b', 'ü'])('refuses the name %j', async (name) => {
    const { row } = await attempted(aWorld(), async (job) =>
      complete({ result: await job.write(name, 'x', text) }),
    );

    expect(row).toMatchObject({ failure: { code: 'candidate-name-invalid' } });
  });

  it.each([
    ['believes its own bytes', 'abcdef', { status: 'succeeded', result: { size: 6 } }],
    ['believes no other bytes of the same size', 'ABCDEF', unconfirmed],
    ['believes no part of its own bytes', 'abc', unconfirmed],
  ])('looks when a reply got lost, and %s', async (_, there, wanted) => {
    const world = aWorld();
    const create = world.bucket.create.bind(world.bucket);
    world.bucket.create = async (key, from, as) => {
      const sent = await new MemoryBucket('sent', world.clock).create(key, from, as);
      await create(
        key,
        encoded(there, () => {}),
        as,
      );
      return sent.kind === 'created' ? { kind: 'unknown', sent: sent.stored } : sent;
    };

    const { row } = await attempted(world, async (job) =>
      complete({ result: await job.write('file', pieces('abc', 'def'), text) }),
    );

    expect(row).toMatchObject(wanted);
  });

  it('believes nothing that is there when the outage came before all was sent', async () => {
    const world = aWorld();
    const create = world.bucket.create.bind(world.bucket);
    world.bucket.create = async (...all) => {
      await create(...all);
      return { kind: 'unknown' };
    };

    const { row } = await attempted(world, async (job) =>
      complete({ result: await job.write('file', 'abc', text) }),
    );

    expect(row).toMatchObject(unconfirmed);
  });

  it('begins nothing once its code has returned, so that no object is left that nobody knows of (promise P11)', async () => {
    const world = aWorld();
    const seen: unknown[] = [];
    const commit = world.store.commit.bind(world.store);

    const { row } = await attempted(world, async (job) => {
      world.store.commit = async (writes) => {
        for (const act of [() => job.write('late', 'x', text), () => job.progress({ late: true })])
          await act().catch((thrown) => seen.push(thrown.code));
        return commit(writes);
      };
      return complete();
    });

    expect(row).toMatchObject({ status: 'succeeded' });
    expect(seen).toEqual(['attempt-closed', 'attempt-closed']);
    expect(await keys(world.bucket)).toEqual([]);
  });

  it('is stopped in the middle of a stream that its code did not wait for, and the sweeper is told', async () => {
    const world = aWorld();
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    let left: Promise<unknown> = Promise.resolve();

    const { row } = await attempted(world, async (job) => {
      const source = (async function* () {
        yield 'a';
        await gone;
        yield 'b';
      })();
      left = job.write('file', source, text);
      left.catch(() => {});
      return complete();
    });
    go();

    await expect(left).rejects.toMatchObject({ code: 'attempt-closed' });
    expect(await keys(world.bucket)).toEqual([]);
    expect(row).toMatchObject({ status: 'succeeded', sweeps: 0 });
  });

  it('writes several objects side by side, and promotes one', async () => {
    const world = aWorld();

    const { row } = await attempted(world, async (job) => {
      const [one, two] = await Promise.all([
        job.write('one', pieces('1', '1'), text),
        job.write('two', pieces('2', '2'), text),
      ]);
      expect(two.size).toBe(2);
      return complete({ result: one });
    });

    expect(row).toMatchObject({ status: 'succeeded', result: { size: 2 }, sweeps: 0 });
    expect(await keys(world.bucket)).toHaveLength(2);
  });

  it('leaves no mark for the sweeper when it wrote one object twice', async () => {
    const world = aWorld();

    const { row } = await attempted(world, async (job) => {
      const [one] = await Promise.all([job.write('one', 'x', text), job.write('one', 'x', text)]);
      return complete({ result: one });
    });

    expect(row).toMatchObject({ status: 'succeeded' });
    expect(row).not.toHaveProperty('sweepAt');
  });

  it('fails as its source fails, and leaves nothing', async () => {
    const world = aWorld();
    const { row } = await attempted(world, async (job) => {
      const source = (async function* () {
        yield 'a';
        throw new TypeError('the disk went away');
      })();
      return complete({ result: await job.write('file', source, text) });
    });

    expect(row).toMatchObject({
      failures: 1,
      failure: { message: 'TypeError: the disk went away' },
    });
    expect(await keys(world.bucket)).toEqual([]);
  });

  it('never deletes a candidate by itself, whatever goes wrong (case fencing 32, 33, 34)', async () => {
    const world = aWorld();
    const deleted: string[] = [];
    world.bucket.delete = async (key) => {
      deleted.push(key);
    };

    await attempted(world, async (job) => {
      await job.write('file', 'x', text);
      throw new Error('after the candidate');
    });

    expect(deleted).toEqual([]);
  });
});

describe('an attempt whose work was lost', () => {
  it('learns it at its next note: the signal fires, and nothing more is sent (case fencing 25, I8)', async () => {
    const world = aWorld();
    const seen: string[] = [];

    await attempted(world, async (job) => {
      await createJobs(world).release(
        defineJob({ name: 'count', input: v.object({}), run: async () => complete() }),
        'a',
      );
      await job.progress({ n: 1 });
      expect(job.signal.aborted).toBe(true);
      const creates = world.bucket.create;
      world.bucket.create = async (...args) => {
        seen.push('create');
        return creates.apply(world.bucket, args);
      };
      for (const act of [
        () => job.write('file', 'x', text),
        () => job.progress({ n: 2 }),
        () =>
          job.next(defineJob({ name: 'next', input: v.object({}), run: async () => complete() }), {
            intentId: 'b',
            input: {},
          }),
      ])
        await act().then(
          () => seen.push('sent'),
          (thrown) => seen.push(thrown.code),
        );
      return complete();
    });

    expect(seen).toEqual(['superseded', 'superseded', 'superseded']);
    expect(world.job('count', 'a')).toMatchObject({ status: 'queued', generation: 2 });
    expect(world.happenings.filter(({ kind }) => kind === 'write-fenced')).toMatchObject([
      { what: 'progress', by: 2 },
    ]);
  });

  it('gets no candidate for what it was writing when it was lost, and sends no end', async () => {
    const world = aWorld();
    const create = world.bucket.create.bind(world.bucket);
    const commit = world.store.commit.bind(world.store);
    let thrown: unknown;
    let commits = 0;

    await attempted(world, async (job) => {
      world.bucket.create = async (...all) => {
        const created = await create(...all);
        await createJobs(world).release(counting, 'a');
        await job.progress({ n: 1 });
        world.store.commit = async (writes) => {
          commits += 1;
          return commit(writes);
        };
        return created;
      };
      thrown = await job.write('file', 'x', text).catch((it) => it);
      return complete();
    });

    expect(thrown).toMatchObject({ code: 'superseded', remedy: 'let-go' });
    expect(commits).toBe(0);
  });

  it('tells it once, though two notes were on their way', async () => {
    const world = aWorld();
    const commit = world.store.commit.bind(world.store);

    await attempted(world, async (job) => {
      await createJobs(world).release(counting, 'a');
      const replies: (() => void)[] = [];
      world.store.commit = async (writes) => {
        const committed = await commit(writes);
        if (writes[0]?.table !== 'jobs') return committed;
        await new Promise<void>((resolve) => replies.push(resolve));
        return committed;
      };
      const notes = [job.progress({ n: 1 })];
      world.clock.step((world.clock.now() + seconds(1)) as never);
      notes.push(job.progress({ n: 2 }));
      await new Promise((resolve) => setImmediate(resolve));
      for (const reply of replies) reply();
      await Promise.all(notes);
      expect(replies).toHaveLength(2);
      return complete();
    });

    expect(world.kinds().filter((kind) => kind === 'write-fenced')).toHaveLength(1);
  });

  it('stops a stream between two pieces, and closes its source', async () => {
    const world = aWorld();
    let closed = false;

    await attempted(world, async (job) => {
      const source = (async function* () {
        try {
          yield 'a';
          await createJobs(world).cancel(
            defineJob({ name: 'count', input: v.object({}), run: async () => complete() }),
            'a',
            { force: true },
          );
          await job.progress({ half: true });
          yield 'b';
          yield 'c';
        } finally {
          closed = true;
        }
      })();
      return complete({ result: await job.write('file', source, text) });
    });

    expect(closed).toBe(true);
    expect(world.job('count', 'a')).toMatchObject({ status: 'cancelled' });
  });

  it('hands its own error on where a note can’t be written (case fencing 28)', async () => {
    const world = aWorld();
    const commit = world.store.commit.bind(world.store);

    const { row } = await attempted(world, async (job) => {
      world.store.commit = async () => {
        throw new Error('throttled');
      };
      await job.progress({ n: 1 });
      world.store.commit = commit;
      throw new RangeError('the real one');
    });

    expect(row).toMatchObject({ failure: { message: 'RangeError: the real one' } });
  });
});

describe('a note', () => {
  it('is written at most once a second', async () => {
    const world = aWorld();
    const notes: unknown[] = [];

    await attempted(world, async (job) => {
      for (let n = 0; n < 5; n++) {
        await job.progress({ n });
        notes.push(world.job('count', 'a')['progress']);
        world.clock.step((world.clock.now() + seconds(0.5)) as never);
      }
      return complete();
    });

    expect(notes).toEqual([{ n: 0 }, { n: 0 }, { n: 2 }, { n: 2 }, { n: 4 }]);
  });

  it('above 4 KB is refused, with its size', async () => {
    const { row } = await attempted(aWorld(), async (job) => {
      await job.progress({ text: 'x'.repeat(5_000) });
      return complete();
    });

    expect(row).toMatchObject({ failure: { code: 'progress-too-large' } });
  });

  it.each<[string, unknown]>([
    ['no number', { done: Number.NaN }],
    ['a bigint', { done: 1n }],
    ['nothing', undefined],
  ])('that JSON can’t carry is refused: %s', async (_, note) => {
    const { row } = await attempted(aWorld(), async (job) => {
      await job.progress(note as never);
      return complete();
    });

    expect(row).toMatchObject({ status: 'failed', failure: { code: 'not-json' } });
  });

  it('is shown until the next claim', async () => {
    const world = aWorld();
    let view: unknown;

    await attempted(world, async (job) => {
      await job.progress({ done: 0.5 });
      view = await createJobs(world).get(
        defineJob({ name: 'count', input: v.object({}), run: async () => complete() }),
        'a',
      );
      return complete();
    });

    expect(view).toMatchObject({ status: 'running', progress: { done: 0.5 } });
    expect(world.job('count', 'a')).not.toHaveProperty('progress');
  });
});

describe('an attempt', () => {
  it('knows its job, and hands out a key that is the same in every attempt (case fencing 17)', async () => {
    const world = aWorld();
    const keys: string[] = [];
    const { job } = await attempted(world, async (attempt) => {
      keys.push(attempt.key);
      expect(attempt).toMatchObject({ intentId: 'a', generation: keys.length, input: { n: 1 } });
      if (keys.length === 1) throw new Error('once');
      return complete();
    });
    const body = world.sent[0]?.entry.body ?? '';

    await jobHandler(job, world)(anEvent(aRecord('A1', { body })), aContext(world));

    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });
});
