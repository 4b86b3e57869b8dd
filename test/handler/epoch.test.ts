import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type Clock,
  complete,
  createJobs,
  defineJob,
  fifoHandler,
  type Instant,
  isFailure,
  jobHandler,
  minutes,
  relayHandler,
  type Store,
  seconds,
  sweepHandler,
  type World,
} from '../../lib/index.ts';
import { milliseconds } from '../../lib/kernel/time.ts';
import { commands, countJob, counts, slept } from './count-job.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

/** A world whose process can be frozen and thawed: time passes, and no timer has rung yet. */
function freezable(over: (world: AWorld) => Partial<World> = () => ({})) {
  const own = aWorld();
  let frozen = 0;
  const clock: Clock = {
    now: () => (own.clock.now() + frozen) as Instant,
    alarm: (at, ring) => own.clock.alarm((at - frozen) as Instant, ring),
    sleep: (length, signal) => own.clock.sleep(length, signal),
  };
  const world: World = { ...own, ...over(own), clock };
  const freeze = (length: number): void => {
    frozen += length;
  };
  return { own, world, freeze };
}

async function* bytes(text = 'x'): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const as = { contentType: 'text/plain' };
const failed = { batchItemFailures: [{ itemIdentifier: 'A1' }] };
const codeOf = (thrown: unknown) => (isFailure(thrown) ? thrown.code : String(thrown));

async function keys(world: World): Promise<string[]> {
  const found: string[] = [];
  for await (const key of world.bucket.list('')) found.push(key);
  return found;
}

describe('an invocation that was frozen beyond its end, and whose timers have not rung', () => {
  it('sends nothing that its code asks for, and no end of the job', async () => {
    const { own, world, freeze } = freezable();
    const refusals: string[] = [];
    const job = countJob(async (attempt) => {
      freeze(minutes(2));
      for (const act of [
        attempt.write('n', 'x', as),
        attempt.progress({ at: 1 }),
        attempt.next(job, { intentId: 'next', input: { n: 2 } }),
      ])
        await act.catch((thrown: unknown) => refusals.push(codeOf(thrown)));
      return complete();
    });
    const [record] = await commands(own, job, 'A1');
    const response = await jobHandler(job, world)(anEvent(record ?? aRecord('A1')), aContext(own));

    expect(refusals).toEqual(['attempt-closed', 'attempt-closed', 'attempt-closed']);
    expect(response).toEqual(failed);
    expect(own.job('count', 'A1')).toMatchObject({ status: 'running', generation: 1, version: 2 });
    expect(await keys(world)).toEqual([]);
    expect(own.hidden).toEqual([]);
    expect(own.kinds()).not.toContain('write-fenced');
  });

  it('reports even what was handled as failed, since its message is another’s by then', async () => {
    const { own, world, freeze } = freezable();
    const settings = {
      parse: String,
      async handle() {
        freeze(minutes(2));
        throw new Error('late');
      },
    };

    const response = await fifoHandler(settings, world)(anEvent(aRecord('A1')), aContext(own));

    expect(response).toEqual(failed);
    expect(own.hidden).toEqual([]);
    expect(own.happenings).toMatchObject([
      { kind: 'message-failed', failure: { code: 'overran' } },
    ]);
  });

  it.each([
    ['claim', 1, { status: 'queued', version: 1 }],
    ['note of progress', 2, { status: 'running', version: 2 }],
    ['completion', 3, { status: 'running', version: 2, progress: { at: 1 } }],
  ])('sends no %s that stood still in the store', async (_, last, left) => {
    const { own, world, freeze } = freezable();
    const job = countJob(async (attempt) => {
      await attempt.progress({ at: 1 });
      return complete();
    });
    const [record] = await commands(own, job, 'A1');
    let commits = 0;
    const store = Object.assign(Object.create(own.store) as Store, {
      commit: (...args: Parameters<Store['commit']>) => {
        commits += 1;
        if (commits === last) freeze(minutes(2));
        return own.store.commit(...args);
      },
    });

    const response = await jobHandler(job, { ...world, store })(
      anEvent(record ?? aRecord('A1')),
      aContext(own),
    );

    expect(response).toEqual(failed);
    const { status, version, progress } = own.job('count', 'A1');
    expect({ status, version, progress }).toEqual({ progress: undefined, ...left });
  });

  it('sends nothing of an attempt that was frozen beyond the limit of its job', async () => {
    const { own, world, freeze } = freezable();
    let refusal = '';
    const job = countJob(
      async (attempt) => {
        freeze(seconds(30));
        await attempt.write('n', 'x', as).catch((thrown: unknown) => {
          refusal = codeOf(thrown);
        });
        return complete();
      },
      { attempt: seconds(10) },
    );
    const [record] = await commands(own, job, 'A1');

    await jobHandler(job, world)(anEvent(record ?? aRecord('A1')), aContext(own, minutes(10)));

    expect(refusal).toBe('attempt-closed');
    expect(await keys(world)).toEqual([]);
  });
});

describe('an attempt that ends while a large input of its next job is laid down', () => {
  it('lays nothing down', async () => {
    let hasBegun = (): void => {};
    const { own, world, freeze } = freezable((it) => ({
      bucket: Object.assign(Object.create(it.bucket) as World['bucket'], {
        create: (...args: Parameters<World['bucket']['create']>) => {
          hasBegun();
          return it.bucket.create(...args);
        },
      }),
    }));
    hasBegun = () => freeze(minutes(2));
    let refusal = '';
    const large = defineJob({
      name: 'large',
      input: v.string(),
      run: async () => complete(),
    });
    const job = countJob(async (attempt) => {
      await attempt
        .next(large, { intentId: 'next', input: 'x'.repeat(20_000) })
        .catch((thrown: unknown) => {
          refusal = codeOf(thrown);
        });
      return complete();
    });
    const [record] = await commands(own, job, 'A1');

    await jobHandler(job, world)(anEvent(record ?? aRecord('A1')), aContext(own));

    expect(refusal).toBe('epoch-over');
    expect(await keys(own)).toEqual([]);
  });
});

describe('an invocation that has answered', () => {
  it('sends no completion once more whose replies got lost', async () => {
    const world = aWorld();
    const job = countJob(counts);
    const [record] = await commands(world, job, 'A1');
    const asked: boolean[] = [];
    let ended = (): void => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const store = Object.assign(Object.create(world.store) as Store, {
      async commit(...[writes, epoch]: Parameters<Store['commit']>) {
        const isClaim = asked.length === 0;
        asked.push(epoch?.isOpen() ?? true);
        if (isClaim) return world.store.commit(writes, epoch);
        if (epoch?.isOpen()) {
          // Behind the response, which comes half a second before the end.
          await world.clock.sleep(milliseconds(59_600));
          return { kind: 'unknown' as const };
        }
        ended();
        return world.store.commit(writes, epoch);
      },
    });

    const response = await slept(
      world,
      jobHandler(job, { ...world, store })(anEvent(record ?? aRecord('A1')), aContext(world)),
    );
    await slept(world, end);

    expect(response).toEqual(failed);
    expect(asked).toEqual([true, true, false]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'running', version: 2 });
  });

  it('finishes no object that its code went on to write', async () => {
    const world = aWorld();
    let goOn = (): void => {};
    const answered = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let left: Promise<unknown> = Promise.resolve();
    const job = countJob(async (attempt) => {
      const slow = (async function* () {
        yield* bytes('begun ');
        await answered;
      })();
      left = attempt.write('late', slow, as).catch(codeOf);
      return complete();
    });
    const [record] = await commands(world, job, 'A1');

    const response = await jobHandler(job, world)(
      anEvent(record ?? aRecord('A1')),
      aContext(world),
    );
    goOn();

    expect(response).toEqual({ batchItemFailures: [] });
    expect(await left).toBe('attempt-closed');
    expect(await keys(world)).toEqual([]);
  });
});

describe('a relay that was frozen beyond its end', () => {
  it('sends and proves nothing more, and hands its records back', async () => {
    const sends: boolean[] = [];
    const { own, world, freeze } = freezable(() => ({
      sender: {
        knows: () => true,
        async send(_target, entries, epoch) {
          sends.push(epoch?.isOpen() ?? true);
          freeze(minutes(2));
          return entries.map(() => ({ kind: 'outage' as const, why: 'no reply' }));
        },
      },
    }));
    await createJobs(own).submit(countJob(counts), { intentId: 'A1', input: { n: 1 } });
    const Records = own.stream
      .shards()
      .flatMap((shard) => shard.records.splice(0).map(({ record }) => record));

    const response = await relayHandler(world)({ Records }, aContext(own));

    expect(response.batchItemFailures).toHaveLength(1);
    expect(sends).toEqual([true, false]);
    expect(own.store.all('ledger')).toEqual([]);
  });
});

describe('a sweep that was frozen beyond its end', () => {
  it('deletes nothing more, and leaves its mark to the next sweep', async () => {
    const { own, world, freeze } = freezable((it) => ({
      bucket: Object.assign(Object.create(it.bucket) as World['bucket'], {
        list: (prefix: string) => it.bucket.list(prefix),
        async delete(...args: Parameters<World['bucket']['delete']>) {
          await it.bucket.delete(...args);
          freeze(minutes(2));
        },
      }),
    }));
    const job = countJob(async (attempt) => {
      await attempt.write('a', 'x', as);
      await attempt.write('b', 'x', as);
      return complete();
    });
    const [record] = await commands(own, job, 'A1');
    await jobHandler(job, own)(anEvent(record ?? aRecord('A1')), aContext(own));
    freeze(minutes(30));

    const swept = sweepHandler(world)({}, aContext(own));

    await expect(swept).rejects.toMatchObject({ code: 'epoch-over', remedy: 'let-go' });
    expect(await keys(own)).toHaveLength(1);
    expect(own.job('count', 'A1')).toHaveProperty('sweepAt');
  });
});
