import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  complete,
  createJobs,
  defineJob,
  fail,
  type JobAnswer,
  type JobLimits,
  jobHandler,
  minutes,
  permanent,
  relayHandler,
  retryLater,
  seconds,
  transient,
  type World,
  type Write,
} from '../../lib/index.ts';
import { jobOf } from '../../lib/job/job.ts';
import { Failure } from '../../lib/kernel/failure.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

type Run = (job: Attempt<{ n: number }>) => Promise<JobAnswer<{ n: number } | undefined>>;

const countJob = (run: Run, limits: JobLimits = {}) =>
  defineJob({ name: 'count', input: v.object({ n: v.number() }), limits, run });

const completes: Run = async (job) => complete({ data: { n: job.input.n } });

/** Submits a job and gives the record that the relay would bring to a worker. */
async function submitted(world: AWorld, job: ReturnType<typeof countJob>, id = 'A1') {
  await createJobs(world).submit(job, { intentId: 'a', input: { n: 1 } });
  return commandOf(world, id);
}

/** Publishes what the stream has not yet shown, and answers the last command as a record. */
async function commandOf(world: AWorld, id = 'A1') {
  await published(world);
  const command = world.sent.findLast(({ target }) => target === 'commands-count');
  return aRecord(id, { body: command?.entry.body ?? '', group: command?.entry.group ?? '' });
}

/** Lets the relay read the whole stream; answers the events that it published. */
async function published(world: AWorld) {
  const records = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  if (records.length > 0)
    await relayHandler(world)({ Records: records.map(({ record }) => record) }, aContext(world));
  return world.sent
    .filter(({ target }) => target === 'events')
    .map(({ entry }) => JSON.parse(entry.body) as Record<string, unknown>);
}

const handle = (
  world: AWorld,
  job: ReturnType<typeof countJob>,
  record: ReturnType<typeof aRecord>,
) => jobHandler(job, world)(anEvent(record), aContext(world));

const kept = ({ batchItemFailures }: { batchItemFailures: { itemIdentifier: string }[] }) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

describe('a worker', () => {
  it('claims, runs and completes a job with one write each, no read and no transaction (case outbox 56)', async () => {
    const world = aWorld();
    const job = countJob(completes);
    const commits: number[] = [];
    const counted: World = {
      ...world,
      store: {
        knows: () => true,
        read: () => {
          throw new Error('the happy path reads nothing');
        },
        commit: (writes) => {
          commits.push(writes.length);
          return world.store.commit(writes);
        },
        query: (table, by) => world.store.query(table, by),
        scan: (table, by) => world.store.scan(table, by),
      },
    };

    await createJobs(counted).submit(job, { intentId: 'a', input: { n: 1 } });
    const record = await commandOf(world);
    const response = await jobHandler(job, counted)(anEvent(record), aContext(world));

    expect(kept(response)).toEqual([]);
    expect(commits).toEqual([1, 1, 1]);
    expect(world.job('count', 'a')).toMatchObject({
      status: 'succeeded',
      generation: 1,
      version: 3,
    });
    expect(world.job('count', 'a')).not.toHaveProperty('sweepAt');
  });

  it('publishes the completion with its data, once, from the same write', async () => {
    const world = aWorld();
    const job = countJob(completes);
    await handle(world, job, await submitted(world, job));

    const events = await published(world);

    expect(events).toMatchObject([
      { type: 'count.succeeded', sequence: 1, version: 3, generation: 1, data: { n: 1 } },
    ]);
  });

  it('acknowledges a repeated command without running the job again', async () => {
    const world = aWorld();
    let runs = 0;
    const job = countJob(async (attempt) => {
      runs += 1;
      return completes(attempt);
    });
    const record = await submitted(world, job);
    await handle(world, job, record);

    const response = await handle(world, job, record);

    expect(kept(response)).toEqual([]);
    expect(runs).toBe(1);
    expect(world.kinds()).toContain('message-repeated');
  });

  it('touches each part of its world when it is made, also where parts are made at first touch', async () => {
    const world = aWorld();
    const touched: string[] = [];
    const lazy = new Proxy(Object.create(world) as typeof world, {
      get: (_, part: keyof typeof world) => {
        touched.push(part);
        return world[part];
      },
      ownKeys: () => [],
    });
    const job = countJob(completes);
    const record = await submitted(world, job);

    const handler = jobHandler(job, lazy);
    const atStart = [...touched];
    const response = await handler(anEvent(record), aContext(world));

    expect(kept(response)).toEqual([]);
    expect(atStart).toEqual(
      expect.arrayContaining(['store', 'bucket', 'visibility', 'clock', 'random', 'observe']),
    );
  });

  it('hands back a command whose job another attempt holds, for a minute at most (case fencing 6)', async () => {
    const world = aWorld();
    const job = countJob(completes);
    const record = await submitted(world, job);
    const first = jobHandler(
      countJob(async () => {
        const response = await handle(world, job, record);
        expect(kept(response)).toEqual(['A1']);
        return complete();
      }),
      world,
    );

    const response = await first(anEvent(record), aContext(world));

    expect(kept(response)).toEqual([]);
    expect(world.hidden).toEqual([{ handle: 'handle-A1', length: seconds(60) }]);
  });

  it('lets go of a command whose job is gone (trace H26)', async () => {
    const world = aWorld();
    const job = countJob(completes);
    const record = await submitted(world, job);
    const { pk = '', sk = '' } = world.job('count', 'a') as { pk?: string; sk?: string };
    await world.store.commit([{ kind: 'delete', table: 'jobs', key: { pk, sk }, when: [] }]);

    const response = await handle(world, job, record);

    expect(kept(response)).toEqual([]);
    expect(world.kinds()).toContain('command-let-go');
  });

  it('hands back the command of a kind that it does not know, without counting', async () => {
    const world = aWorld();
    const record = await submitted(world, countJob(completes));
    const other = defineJob({ name: 'other', input: v.object({}), run: async () => complete() });

    const response = await jobHandler(other, world)(anEvent(record), aContext(world));

    expect(kept(response)).toEqual(['A1']);
    expect(world.job('count', 'a')).toMatchObject({ status: 'queued', failures: 0 });
  });

  it.each([0, 1])(
    'hands back the command of a job whose row a newer release wrote, at generation %i',
    async (generation) => {
      const world = aWorld();
      const job = countJob(completes);
      const record = await submitted(world, job);
      const { pk = '', sk = '' } = world.job('count', 'a') as { pk?: string; sk?: string };
      const newer: Write = {
        kind: 'update',
        table: 'jobs',
        key: { pk, sk },
        when: [],
        set: { schema: 2, generation },
      };
      await world.store.commit([newer]);

      const response = await handle(world, job, record);

      expect(kept(response)).toEqual(['A1']);
      expect(world.job('count', 'a')).toMatchObject({ status: 'queued', generation });
      expect(world.hidden).toEqual([{ handle: 'handle-A1', length: seconds(60) }]);
    },
  );

  it.each([
    ['the type of an event', { type: 'count.succeeded' }],
    ['no kind', { type: '.run' }],
    ['the id of a job of another kind', { subject: `other-${'0'.repeat(32)}` }],
    ['the id of a job whose kind only begins like it', { subject: `count-more-${'0'.repeat(32)}` }],
  ])('dead-letters a command that has %s, and claims nothing', async (_, wrong) => {
    const world = aWorld();
    const job = countJob(completes);
    const record = await submitted(world, job);
    const before = world.job('count', 'a');
    const body = JSON.stringify({ ...JSON.parse(record.body), ...wrong });

    const response = await handle(world, job, aRecord('A1', { body }));

    expect(kept(response)).toEqual([]);
    expect(world.job('count', 'a')).toEqual(before);
    expect(world.sent.at(-1)).toMatchObject({
      target: 'dead-letters',
      entry: { id: 'dead:A1', body },
    });
    expect(world.happenings).toContainEqual(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'not-a-command' }) }),
    );
  });

  it.each(['not json', '{}', '{"specversion":"1.0"}'])(
    'dead-letters only the record whose command it cannot read: %s',
    async (body) => {
      const world = aWorld();
      const job = countJob(completes);
      const good = await submitted(world, job);

      const response = await jobHandler(job, world)(
        anEvent(aRecord('B1', { body }), good),
        aContext(world),
      );

      expect(kept(response)).toEqual([]);
      expect(world.sent.at(-1)).toMatchObject({
        target: 'dead-letters',
        entry: { group: 'B', body },
      });
      expect(world.happenings).toContainEqual(
        expect.objectContaining({
          kind: 'message-dead-lettered',
          failure: expect.objectContaining({ code: 'envelope-unreadable' }),
        }),
      );
    },
  );
});

describe('a job’s code that fails', () => {
  it('is tried again after a backoff, counted in the row, until its budget is spent', async () => {
    const world = aWorld();
    const job = countJob(
      async () => {
        throw transient('busy', 'the carrier asked us to wait');
      },
      { failures: 3 },
    );
    const record = await submitted(world, job);

    const first = await handle(world, job, record);
    const second = await handle(world, job, record);
    const third = await handle(world, job, record);

    expect([first, second, third].map(kept)).toEqual([['A1'], ['A1'], []]);
    expect(world.job('count', 'a')).toMatchObject({
      status: 'failed',
      failures: 2,
      generation: 3,
      failure: { code: 'busy', message: 'the carrier asked us to wait' },
    });
    expect(world.hidden.every(({ length }) => length >= seconds(2))).toBe(true);
    expect(await published(world)).toMatchObject([
      { type: 'count.failed', sequence: 1, data: { code: 'busy' } },
    ]);
  });

  it.each<[string, Run, string]>([
    ['fail(…)', async () => fail('no-data', 'there is none'), 'no-data'],
    [
      'permanent(…)',
      async () => {
        throw permanent('no-data', 'there is none');
      },
      'no-data',
    ],
    ['no answer at all', async () => undefined as never, 'no-answer'],
    [
      'something that only looks like an answer',
      async () => ({ kind: 'done' }) as never,
      'no-answer',
    ],
    [
      'a candidate that it did not write',
      async () => complete({ result: { key: 'results/x', size: 1, checksum: '' } as never }),
      'candidate-of-another-attempt',
    ],
    [
      'data that does not survive JSON',
      async () => complete({ data: { n: Number.NaN } }),
      'data-not-json',
    ],
    [
      'an event above 64 KB (case fencing 42, case outbox 15)',
      async () => complete({ data: { n: 1, more: 'x'.repeat(64 * 1024) } }),
      'event-too-large',
    ],
    [
      'more than 99 writes alongside',
      async () =>
        complete({
          alongside: Array.from({ length: 100 }, (_, i) => ({
            kind: 'put' as const,
            table: 'own',
            key: { pk: String(i) },
            fields: {},
            when: [],
          })),
        }),
      'alongside-too-many',
    ],
    [
      'two writes of one row alongside',
      async () =>
        complete({
          alongside: [1, 2].map(() => ({
            kind: 'put' as const,
            table: 'own',
            key: { pk: 'same' },
            fields: {},
            when: [],
          })),
        }),
      'writes-collide',
    ],
  ])('ends the job at once by %s', async (_, run, code) => {
    const world = aWorld();
    const job = countJob(run);

    const response = await handle(world, job, await submitted(world, job));

    expect(kept(response)).toEqual([]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'failed', failure: { code } });
    expect(await published(world)).toMatchObject([{ type: 'count.failed', data: { code } }]);
  });

  it('keeps its failure text in the one fenced write, cut to 4 KB (case fencing 26)', async () => {
    const world = aWorld();
    const job = countJob(async () => {
      throw permanent('long', 'ä'.repeat(10_000), { facts: { more: 'x'.repeat(5_000) } });
    });

    await handle(world, job, await submitted(world, job));

    const read = jobOf(world.job('count', 'a'));
    expect(read).toMatchObject({ job: { status: 'failed', failure: { code: 'long', facts: {} } } });
    expect(JSON.stringify(read).length).toBeLessThan(8_000);
  });

  it('keeps facts that no store can count as text', async () => {
    const world = aWorld();
    const job = countJob(async () =>
      fail('odd', 'odd facts', {
        facts: { ratio: Number.NaN, big: 1n as never, list: ['a'] as never, ok: 1, is: true },
      }),
    );

    await handle(world, job, await submitted(world, job));

    expect(world.job('count', 'a')).toMatchObject({
      failure: { facts: { ratio: 'NaN', big: '1', list: 'a', ok: 1, is: true } },
    });
  });

  it('comes back, and asks no more, when the store takes no end at all', async () => {
    const world = aWorld();
    const commit = world.store.commit.bind(world.store);
    let asked = 0;
    const job = countJob(async () => {
      world.store.commit = async () => {
        asked += 1;
        throw permanent('row-too-large', 'a row has at most 400 KB');
      };
      return complete();
    });
    const record = await submitted(world, job);

    const response = await handle(world, job, record);
    world.store.commit = commit;

    expect(kept(response)).toEqual(['A1']);
    expect(asked).toBe(2);
    expect(world.job('count', 'a')).toMatchObject({ status: 'running', generation: 1 });
  });

  it('costs nothing in an outage: the job is put back uncounted (promise P15)', async () => {
    const world = aWorld();
    const job = countJob(
      async () => {
        throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
      },
      { failures: 1 },
    );
    const record = await submitted(world, job);

    const responses = [await handle(world, job, record), await handle(world, job, record)];

    expect(responses.map(kept)).toEqual([['A1'], ['A1']]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'queued', failures: 0, releases: 0 });
  });

  it('waits as long as it asks for by retryLater, from its own budget', async () => {
    const world = aWorld();
    const job = countJob(async () => retryLater({ after: minutes(7) }), { releases: 2 });
    const record = await submitted(world, job);

    const first = await handle(world, job, record);
    const second = await handle(world, job, record);

    expect([first, second].map(kept)).toEqual([['A1'], []]);
    expect(world.hidden).toEqual([{ handle: 'handle-A1', length: minutes(7) }]);
    expect(world.job('count', 'a')).toMatchObject({
      status: 'failed',
      failures: 0,
      failure: { code: 'released-too-often' },
    });
  });

  it('is put back, uncounted as a failure, when it throws that its work is to be let go', async () => {
    const world = aWorld();
    const job = countJob(async () => {
      throw new Failure('not-mine', 'somebody else does this', { remedy: 'let-go' });
    });

    const response = await handle(world, job, await submitted(world, job));

    expect(kept(response)).toEqual(['A1']);
    expect(world.job('count', 'a')).toMatchObject({ status: 'queued', releases: 1, failures: 0 });
  });

  it('is put back when it stops at the signal, from the budget of releases (case fencing 11)', async () => {
    const world = aWorld();
    const job = countJob(async (attempt) => {
      world.clock.step((world.clock.now() + seconds(58)) as never);
      attempt.signal.throwIfAborted();
      return complete();
    });
    const record = await submitted(world, job);

    const response = await handle(world, job, record);

    expect(kept(response)).toEqual(['A1']);
    expect(world.job('count', 'a')).toMatchObject({ status: 'queued', releases: 1, failures: 0 });
  });

  it('is counted when it overruns the end of its attempt, and nothing it does later is sent (case fencing 49)', async () => {
    const world = aWorld();
    let late: Promise<unknown> = Promise.resolve();
    const job = countJob(
      async (attempt) => {
        await new Promise<void>((resolve) => {
          attempt.signal.addEventListener('abort', () => {
            world.clock.step((world.clock.now() + seconds(1)) as never);
            late = new Promise((go) => setTimeout(go, 5)).then(() => {
              resolve();
              return attempt.write('late', 'x', { contentType: 'text/plain' });
            });
            late.catch(() => {});
          });
          world.clock.step((world.clock.now() + seconds(10)) as never);
        });
        return complete();
      },
      { attempt: seconds(10) },
    );
    const record = await submitted(world, job);

    const response = await handle(world, job, record);

    expect(kept(response)).toEqual(['A1']);
    expect(world.job('count', 'a')).toMatchObject({
      status: 'queued',
      failures: 1,
      failure: { code: 'overran' },
    });
    await expect(late).rejects.toMatchObject({ code: 'attempt-closed', remedy: 'let-go' });
  });

  it('fails as input-invalid when this release’s schema refuses what was submitted', async () => {
    const world = aWorld();
    const record = await submitted(world, countJob(completes));
    const stricter = defineJob({
      name: 'count',
      input: v.object({ n: v.pipe(v.number(), v.minValue(5)) }),
      run: async () => complete(),
    });

    await jobHandler(stricter, world)(anEvent(record), aContext(world));

    expect(world.job('count', 'a')).toMatchObject({ failure: { code: 'input-invalid' } });
  });
});

describe('writes alongside a completion', () => {
  const own: Write = {
    kind: 'put',
    table: 'own',
    key: { pk: 'o-1' },
    fields: { state: 'exported' },
    when: [{ kind: 'absent', why: 'order is new' }],
  };

  it('happen with it', async () => {
    const world = aWorld();
    const job = countJob(async () => complete({ alongside: [own] }));

    await handle(world, job, await submitted(world, job));

    expect(world.job('count', 'a')).toMatchObject({ status: 'succeeded' });
    expect(world.store.peek('own', { pk: 'o-1' })).toMatchObject({ state: 'exported' });
  });

  it('refuse the whole where their own condition does not hold, which counts as a failure (trace H18)', async () => {
    const world = aWorld();
    await world.store.commit([{ ...own, when: [] }]);
    const job = countJob(async () => complete({ alongside: [own] }));

    const response = await handle(world, job, await submitted(world, job));

    expect(kept(response)).toEqual(['A1']);
    expect(world.job('count', 'a')).toMatchObject({
      status: 'queued',
      failures: 1,
      failure: { code: 'alongside-refused', facts: { index: 0 } },
    });
  });

  it('can be the next job, which exists if and only if this one succeeds', async () => {
    const world = aWorld();
    const next = defineJob({
      name: 'next',
      input: v.object({ m: v.number() }),
      run: async () => complete(),
    });
    const job = countJob(async (attempt) =>
      complete({ alongside: await attempt.next(next, { intentId: 'b', input: { m: 2 } }) }),
    );

    await handle(world, job, await submitted(world, job));
    await published(world);

    expect(world.job('next', 'b')).toMatchObject({ status: 'queued', input: '{"m":2}' });
    expect(world.sent.map(({ target }) => target)).toContain('commands-next');
  });
});

describe('a cancellation that was asked for', () => {
  const cancelled = (world: AWorld, job: ReturnType<typeof countJob>, force = false) =>
    createJobs(world).cancel(job, 'a', { force, because: 'not needed' });

  it('keeps finished work: complete still commits (trace H7, case fencing 67)', async () => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async () => {
      await cancelled(world, job);
      return complete();
    });

    const response = await handle(world, job, await submitted(world, job));

    expect(kept(response)).toEqual([]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'succeeded' });
  });

  it.each<[string, Run]>([
    [
      'a failure',
      async () => {
        throw transient('busy', 'busy');
      },
    ],
    ['a release', async () => retryLater({ after: seconds(1) })],
    ['a permanent failure', async () => fail('x', 'x')],
  ])('turns %s into its own end, with its event', async (_, run) => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async (attempt) => {
      await cancelled(world, job);
      return run(attempt);
    });

    const response = await handle(world, job, await submitted(world, job));

    expect(kept(response)).toEqual([]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'cancelled', failures: 0 });
    expect(await published(world)).toMatchObject([
      { type: 'count.cancelled', data: { because: 'not needed' } },
    ]);
  });

  it('is seen by the signal at the next note', async () => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async (attempt) => {
      await cancelled(world, job);
      await attempt.progress({ done: 0.5 });
      attempt.signal.throwIfAborted();
      return complete();
    });

    await handle(world, job, await submitted(world, job));

    expect(world.job('count', 'a')).toMatchObject({ status: 'cancelled' });
  });

  it('by force fences the owner at once, whose completion changes nothing and is quiet (case fencing 30)', async () => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async () => {
      await cancelled(world, job, true);
      return complete();
    });

    const response = await handle(world, job, await submitted(world, job));

    expect(kept(response)).toEqual([]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'cancelled', generation: 2 });
    expect(await published(world)).toMatchObject([{ type: 'count.cancelled' }]);
    expect(world.happenings).toContainEqual(
      expect.objectContaining({ kind: 'write-fenced', what: 'complete', by: 2 }),
    );
  });

  it('of a job that waits in backoff is immediate (case fencing 44)', async () => {
    const world = aWorld();
    const job = countJob(async () => {
      throw transient('busy', 'busy');
    });
    const record = await submitted(world, job);
    await handle(world, job, record);

    const changed = await cancelled(world, job);
    const response = await handle(world, job, record);

    expect(changed).toEqual({ kind: 'changed' });
    expect(kept(response)).toEqual([]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'cancelled' });
  });
});

describe('an operator’s release', () => {
  it('fences the owner, who reports his record as failed, and queues the job again', async () => {
    const world = aWorld();
    let runs = 0;
    const job: ReturnType<typeof countJob> = countJob(async () => {
      runs += 1;
      if (runs === 1) await createJobs(world).release(job, 'a');
      return complete({ data: { n: runs } });
    });
    const record = await submitted(world, job);

    const response = await handle(world, job, record);
    const again = await handle(world, job, await commandOf(world, 'A2'));

    expect([response, again].map(kept)).toEqual([['A1'], []]);
    expect(world.job('count', 'a')).toMatchObject({ status: 'succeeded', generation: 3 });
    expect(await published(world)).toMatchObject([{ type: 'count.succeeded', data: { n: 2 } }]);
  });
});
