import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type Bucket,
  complete,
  createJobs,
  defineJob,
  hours,
  jobHandler,
  minutes,
  permanent,
  type Store,
  type World,
  type Write,
} from '../../lib/index.ts';
import { commandOf, commands, type Run, relayed, slept, unreliable } from './count-job.ts';
import { type AWorld, aContext, anEvent, aWorld } from './world.ts';

const text = { contentType: 'text/plain' };

/** A job that leaves a manifest, with this code. */
const finishing = (run: Run) =>
  defineJob({ name: 'count', input: v.object({ n: v.number() }), finish: true, run });

/** Its data says which generation did the work. */
const writes: Run = async (own) =>
  complete({
    result: await own.write('n.txt', String(own.input.n), text),
    data: { n: own.generation },
  });

type CountJob = ReturnType<typeof finishing>;

/** Hands the command of job `A1` to a worker of this world; answers what comes back. */
async function worked(own: AWorld, job: CountJob, world: World = own) {
  const event = anEvent(commandOf(own, 'A1'));
  const response = await slept(own, jobHandler(job, world)(event, aContext(own)));
  return response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const isEnd = ([write]: readonly Write[]): boolean =>
  write?.kind === 'update' && String(write.set?.['status'] ?? 'running') !== 'running';

/** A worker that leaves its manifest and whose completion never arrives; then its lease is over. */
async function silentOwner(world: AWorld, job: CountJob, silence = minutes(5)) {
  await commands(world, job, 'A1');
  const store = unreliable(world.store, (all) => (isEnd(all) ? 'request-lost' : 'arrives'));
  await worked(world, job, { ...world, store });
  world.happenings.length = 0;
  world.clock.step((world.clock.now() + silence) as never);
}

async function keys(world: AWorld): Promise<string[]> {
  const found: string[] = [];
  for await (const key of world.bucket.list('results/')) found.push(key);
  return found;
}

/** A bucket whose creates go through `create`. */
const creating = (world: AWorld, create: Bucket['create']): World => ({
  ...world,
  bucket: Object.assign(Object.create(world.bucket) as Bucket, { create }),
});

const isManifest = (key: string): boolean => key.endsWith('/manifest.json');

describe('a job with finish', () => {
  it('costs one more object and no other request: none is read, listed or looked at', async () => {
    const world = aWorld();
    const requests: string[] = [];
    const noted = <T extends object>(part: T): T =>
      new Proxy(part, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            requests.push(`${String(name)}${isManifest(String(args[0])) ? ' manifest' : ''}`);
            return value.apply(target, args);
          };
        },
      });
    const job = finishing(writes);
    await commands(world, job, 'A1');

    await worked(world, job, { ...world, store: noted(world.store), bucket: noted(world.bucket) });

    expect(requests).toEqual(['commit', 'create', 'create manifest', 'commit']);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', version: 3 });
  });

  it('marks its row for the sweeper, since its manifest is never promoted', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await commands(world, job, 'A1');

    await worked(world, job);

    expect(await keys(world)).toMatchObject([/manifest\.json$/, /n\.txt$/]);
    expect(world.job('count', 'A1')).toMatchObject({ sweeps: 0 });
  });

  it('refuses an object of the manifest’s name, and says why', async () => {
    const world = aWorld();
    const job = finishing(async (own) =>
      complete({ result: await own.write('manifest.json', '{}', text), data: { n: 0 } }),
    );
    await commands(world, job, 'A1');

    await worked(world, job);

    expect(world.job('count', 'A1')).toMatchObject({
      status: 'failed',
      failure: {
        code: 'candidate-name-reserved',
        message: expect.stringContaining('manifest.json'),
      },
    });
    expect(await keys(world)).toEqual([]);
  });

  it('fails where it completes with writes alongside, and leaves no manifest', async () => {
    const world = aWorld();
    const order: Write = { kind: 'put', table: 'own', key: { pk: 'o' }, fields: {}, when: [] };
    const job = finishing(async (own) =>
      complete({ data: { n: own.generation }, alongside: [order] }),
    );
    await commands(world, job, 'A1');

    const left = await worked(world, job);

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({
      status: 'failed',
      failure: { code: 'alongside-with-finish', message: expect.stringContaining('got 1 writes') },
    });
    expect(world.store.peek('own', { pk: 'o' })).toBeUndefined();
    expect(await keys(world)).toEqual([]);
  });

  it('leaves no manifest where it ends in any other way', async () => {
    const world = aWorld();
    const job = finishing(async () => {
      throw new Error('no luck');
    });
    await commands(world, job, 'A1');

    await worked(world, job);

    expect(world.job('count', 'A1')).toMatchObject({ status: 'queued', failures: 1 });
    expect(await keys(world)).toEqual([]);
  });

  it.each<[string, Bucket['create']]>([
    [
      'does not take it',
      async () => {
        throw Object.assign(new Error('slow down'), { name: 'SlowDown' });
      },
    ],
    ['gives no reply', async () => ({ kind: 'unknown' })],
    ['stands still until the turn is over', () => new Promise(() => {})],
  ])('completes without a manifest where the bucket %s', async (_, create) => {
    const own = aWorld();
    const world = creating(own, (key, from, as) =>
      isManifest(key) ? create(key, from, as) : own.bucket.create(key, from, as),
    );
    const job = finishing(writes);
    await commands(own, job, 'A1');

    const left = await worked(own, job, world);

    expect(left).toEqual([]);
    expect(own.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 1, sweeps: 0 });
  });

  it('fails all the same where no store ever takes its completion', async () => {
    const world = aWorld();
    const { commit } = world.store;
    const store = Object.assign(Object.create(world.store) as Store, {
      commit: (all: readonly Write[]) => {
        const [write] = all;
        const completes = write?.kind === 'update' && write.set?.['status'] === 'succeeded';
        return commit.call(
          world.store,
          completes ? [...all, { ...write, when: [] } as Write] : all,
        );
      },
    });
    const job = finishing(writes);
    await commands(world, job, 'A1');

    await worked(world, job, { ...world, store });

    expect(world.job('count', 'A1')).toMatchObject({
      status: 'failed',
      failure: { code: 'writes-collide' },
    });
  });
});

describe('a claim on a job whose owner left a manifest and fell silent', () => {
  it('commits what the owner had finished, as the owner itself would have, and runs nothing', async () => {
    const world = aWorld();
    let runs = 0;
    const job = finishing((own) => {
      runs += 1;
      return writes(own);
    });
    await silentOwner(world, job);
    const before = world.job('count', 'A1');

    const left = await worked(world, job);

    expect(left).toEqual([]);
    expect(runs).toBe(1);
    expect(world.job('count', 'A1')).toMatchObject({
      status: 'succeeded',
      generation: 1,
      version: 3,
      takeovers: 0,
      attemptId: before['attemptId'],
      result: { key: expect.stringContaining(`/0000000001/${String(before['attemptId'])}/n.txt`) },
      sweeps: 0,
    });
    const { id, incarnation } = before;
    expect(await relayed(world)).toMatchObject([
      { id: `${id}:${incarnation}:2`, type: 'count.succeeded', data: { n: 1 }, generation: 1 },
    ]);
    expect(world.kinds()).toEqual(expect.arrayContaining(['job-finished-for', 'job-succeeded']));
    expect(world.kinds()).not.toContain('job-taken-over');
  });

  it('dates the event by its commit, so that a look for lost events finds it', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job);

    await worked(world, job);

    const [, event] = world.job('count', 'A1')['events'] as unknown as { at: number }[];
    expect(event?.at).toBe(world.clock.now());
  });

  it('leaves the job alone while the lease is not over', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job, minutes(1));

    const left = await worked(world, job);

    expect(left).toEqual(['A1']);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'running' });
  });

  it('keeps finished work though its cancellation was asked for (trace H7)', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job);
    await createJobs(world).cancel(job, 'A1');

    await worked(world, job);

    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 1 });
  });

  it('looks before it calls the job worn out (trace H9)', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job);
    const { pk, sk } = world.job('count', 'A1') as { pk: string; sk: string };
    const set = { takeovers: 5, firstTakeoverAt: world.clock.now() - hours(2) };
    await world.store.commit([
      { kind: 'update', table: 'jobs', key: { pk, sk }, when: [], set, remove: ['news'] },
    ]);

    await worked(world, job);

    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 1 });
  });

  it('does not look where the job has no finish: what lies there is a candidate like any other', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job);
    const redone = defineJob({ name: 'count', input: v.object({ n: v.number() }), run: writes });

    await worked(world, redone);

    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 2 });
  });

  it('goes by the row where the owner’s own completion came first', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await commands(world, job, 'A1');
    const late: (readonly Write[])[] = [];
    const losing = unreliable(world.store, (all) => {
      if (!isEnd(all)) return 'arrives';
      late.push(all);
      return 'request-lost';
    });
    await worked(world, job, { ...world, store: losing });
    world.clock.step((world.clock.now() + minutes(5)) as never);
    const open = world.bucket.open.bind(world.bucket);
    const bucket = Object.assign(Object.create(world.bucket) as Bucket, {
      async *open(key: string) {
        await world.store.commit(late[0] ?? []);
        yield* open(key);
      },
    });

    const left = await worked(world, job, { ...world, bucket });

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', version: 3 });
    expect(await relayed(world)).toHaveLength(1);
    expect(world.kinds()).not.toContain('job-finished-for');
  });

  it('takes the job over where no store ever takes what had been finished', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job);
    const commit: Store['commit'] = async (all, epoch) => {
      const [write] = all;
      if (write?.kind === 'update' && write.set?.['status'] === 'succeeded' && isOld())
        throw permanent('validation', 'DynamoDB will never take this write');
      return world.store.commit(all, epoch);
    };
    const isOld = () => world.job('count', 'A1')['generation'] === 1;
    const store = Object.assign(Object.create(world.store) as Store, { commit });

    const left = await worked(world, job, { ...world, store });

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 2 });
    expect(world.kinds()).toEqual(expect.arrayContaining(['manifest-ignored', 'job-taken-over']));
  });

  it('takes nothing over meanwhile where the bucket is out, and costs no budget (promise P15)', async () => {
    const world = aWorld();
    const job = finishing(writes);
    await silentOwner(world, job);
    const open = () => {
      throw Object.assign(new Error('s3 is out'), { name: 'ServiceUnavailable' });
    };
    const bucket = Object.assign(Object.create(world.bucket) as Bucket, { open });

    const left = await worked(world, job, { ...world, bucket });

    expect(left).toEqual(['A1']);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'running', takeovers: 0, version: 2 });
  });
});

describe('a claim on a job with finish whose owner fell silent before its manifest', () => {
  it('takes it over and does it again', async () => {
    const own = aWorld();
    const job = finishing(writes);
    const world = creating(own, async (key, from, as) => {
      if (isManifest(key)) return { kind: 'unknown' };
      return own.bucket.create(key, from, as);
    });
    await silentOwner({ ...own, bucket: world.bucket } as AWorld, job);

    await worked(own, job);

    expect(own.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 2 });
    expect(await relayed(own)).toMatchObject([{ data: { n: 2 } }]);
    expect(own.kinds()).toContain('job-taken-over');
  });

  it.each([
    ['what was never whole', '{"schema":1}'],
    ['more than any manifest has', 'x'.repeat(300_000)],
  ])(
    'takes it over and tells it where something else lies in its place: %s',
    async (_, foreign) => {
      const own = aWorld();
      const job = finishing(writes);
      const world = creating(own, (key, from, as) =>
        own.bucket.create(key, isManifest(key) ? bytes(foreign) : from, as),
      );
      await silentOwner({ ...own, bucket: world.bucket } as AWorld, job);

      await worked(own, job);

      expect(own.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 2 });
      expect(own.happenings).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ kind: 'manifest-ignored', generation: 1 }),
        ]),
      );
    },
  );
});

async function* bytes(of: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(of);
}
