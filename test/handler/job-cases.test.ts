import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  complete,
  createJobs,
  fail,
  jobHandler,
  minutes,
  retryLater,
  seconds,
  transient,
  type World,
  type Write,
} from '../../lib/index.ts';
import {
  commandOf,
  commands,
  countJob,
  counts,
  type Run,
  relayed,
  slept,
  unreliable,
} from './count-job.ts';
import { type AWorld, aContext, anEvent, aWorld } from './world.ts';

const text = { contentType: 'text/plain' };
const kept = ({ batchItemFailures }: SQSBatchResponse): string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

/** Hands these records to a worker in one invocation. */
const worked = (
  world: World & Pick<AWorld, 'clock'>,
  job: ReturnType<typeof countJob>,
  ...records: readonly SQSRecord[]
) => jobHandler(job, world)(anEvent(...records), aContext(world)).then(kept);

/** Whether one of the writes ends or puts back a job. */
const isEnd = ([write]: readonly Write[]): boolean =>
  write?.kind === 'update' && String(write.set?.['status'] ?? 'running') !== 'running';

describe('a batch of commands', () => {
  it('goes on with a group whose job failed, since the failure lies in the job’s row (case fifo 26)', async () => {
    const world = aWorld();
    const job = countJob(async (own) => (own.input.n === 1 ? fail('no', 'no') : counts(own)));

    const left = await worked(world, job, ...(await commands(world, job, 'A1', 'A2')));

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'failed' });
    expect(world.job('count', 'A2')).toMatchObject({ status: 'succeeded' });
  });

  it('holds back what is behind a job that another attempt holds, and no other group (trace H27)', async () => {
    const world = aWorld();
    const left: string[][] = [];
    const records: SQSRecord[] = [];
    const job: ReturnType<typeof countJob> = countJob(async (own) => {
      if (own.intentId === 'A1') left.push(await worked(world, job, ...records));
      return counts(own);
    });
    records.push(...(await commands(world, job, 'A1', 'A2', 'B1')));

    await worked(world, job, commandOf(world, 'A1'));

    expect(left).toEqual([['A1', 'A2']]);
    expect(world.job('count', 'A2')).toMatchObject({ status: 'queued', generation: 0 });
    expect(world.job('count', 'B1')).toMatchObject({ status: 'succeeded' });
    expect(world.hidden).toEqual([
      { handle: 'handle-A1', length: seconds(60) },
      { handle: 'handle-A2', length: seconds(63) },
    ]);
  });

  it('loses one job to another owner without touching the others (case fencing 19)', async () => {
    const world = aWorld();
    const job: ReturnType<typeof countJob> = countJob(async (own) => {
      if (own.intentId === 'A1') await createJobs(world).release(job, 'A1');
      return counts(own);
    });

    const left = await worked(world, job, ...(await commands(world, job, 'A1', 'B1', 'C1')));

    expect(left).toEqual(['A1']);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'queued', failures: 0 });
    for (const name of ['B1', 'C1'])
      expect(world.job('count', name)).toMatchObject({ status: 'succeeded' });
  });

  it('counts attempts in the job’s row, however often its command was received (trace H8, case fifo 25)', async () => {
    const world = aWorld();
    const job = countJob(async () => {
      throw transient('busy', 'busy');
    });
    const [record] = await commands(world, job, 'A1');
    const attributes = { ...record?.attributes, ApproximateReceiveCount: '900' };

    const left = await worked(world, job, { ...record, attributes } as SQSRecord);

    expect(left).toEqual(['A1']);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'queued', failures: 1 });
  });
});

describe('a lease', () => {
  it.each([
    ['the invocation’s own end', minutes(1), minutes(15), 60_000],
    ['the end of the attempt and its grace', minutes(1), seconds(10), 11_000],
  ])(
    'is written by the claim itself and lasts until %s, a request and the skew (case fifo 24, case fencing 10)',
    async (_, left, attempt, runs) => {
      const world = aWorld();
      const since = world.clock.now();
      let lease: unknown;
      const job = countJob(
        async (own) => {
          lease = world.job('count', own.intentId)['leaseUntil'];
          return counts(own);
        },
        { attempt },
      );
      const records = await commands(world, job, 'A1');

      await jobHandler(job, world)(anEvent(...records), aContext(world, left));

      expect(lease).toBe(since + runs + seconds(5) + seconds(2));
    },
  );

  it('needs no timer: none outlives the attempt, to ring in a later invocation (case fencing 62)', async () => {
    const world = aWorld();
    const job = countJob(counts, { attempt: seconds(10) });

    await worked(world, job, ...(await commands(world, job, 'A1')));

    expect(world.clock.next()).toBeUndefined();
  });
});

describe('the end of an attempt', () => {
  it('that gets no reply at all is no failure: the command comes back, and meets the finished job (case fencing 32, 68)', async () => {
    const world = aWorld();
    const store = unreliable(world.store, (writes) => (isEnd(writes) ? 'reply-lost' : 'arrives'));
    const job = countJob(async (own) =>
      complete({ result: await own.write('file', 'x', text), data: { n: 1 } }),
    );
    const records = await commands(world, job, 'A1');

    const first = await slept(world, worked({ ...world, store }, job, ...records));
    const second = await worked(world, job, ...records);

    expect([first, second]).toEqual([['A1'], []]);
    expect(world.happenings).toContainEqual(
      expect.objectContaining({
        kind: 'message-failed',
        failure: expect.objectContaining({ code: 'end-unconfirmed' }),
      }),
    );
    const { result, ...row } = world.job('count', 'A1') as { result?: { key: string } };
    expect(row).toMatchObject({ status: 'succeeded', generation: 1, failures: 0 });
    expect(await world.bucket.head(result?.key ?? '')).toBeDefined();
    expect(await relayed(world)).toHaveLength(1);
  });

  it('that never arrives leaves the job to the next owner, who is told nothing wrong (case fencing 68)', async () => {
    const world = aWorld();
    const store = unreliable(world.store, (writes) => (isEnd(writes) ? 'request-lost' : 'arrives'));
    const job = countJob(counts);
    const records = await commands(world, job, 'A1');

    const first = await slept(world, worked({ ...world, store }, job, ...records));
    world.clock.step((world.clock.now() + minutes(2)) as never);
    const second = await worked(world, job, ...records);

    expect([first, second]).toEqual([['A1'], []]);
    expect(world.job('count', 'A1')).toMatchObject({
      status: 'succeeded',
      generation: 2,
      takeovers: 1,
      failures: 0,
    });
    expect(await relayed(world)).toHaveLength(1);
  });

  it('with writes alongside whose reply was lost is recognised by the job’s own row, though their guards refuse now (trace H18)', async () => {
    const world = aWorld();
    let lost = 0;
    const store = unreliable(world.store, (writes) =>
      isEnd(writes) && lost++ === 0 ? 'reply-lost' : 'arrives',
    );
    const order: Write = {
      kind: 'put',
      table: 'own',
      key: { pk: 'order' },
      fields: {},
      when: [{ kind: 'absent', why: 'the order is new' }],
    };
    const job = countJob(async () => complete({ alongside: [order] }));
    const records = await commands(world, job, 'A1');

    const left = await slept(world, worked({ ...world, store }, job, ...records));

    expect(left).toEqual([]);
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', failures: 0 });
    expect(world.kinds()).toContain('job-succeeded');
  });

  it('that put the job back is harmless to send again once another has claimed it (trace H20)', async () => {
    const world = aWorld();
    const records: SQSRecord[] = [];
    const store = unreliable(world.store, (writes) => (isEnd(writes) ? 'reply-lost' : 'arrives'));
    const slow: Run = async (own) => {
      if (own.generation === 1) return retryLater({ after: seconds(5) });
      return counts(own);
    };
    const job = countJob(slow);
    records.push(...(await commands(world, job, 'A1')));

    const first = worked({ ...world, store }, job, ...records);
    await new Promise((resolve) => setImmediate(resolve));
    const second = await worked(world, job, ...records);
    const left = await slept(world, first);

    expect([left, second]).toEqual([['A1'], []]);
    expect(world.job('count', 'A1')).toMatchObject({
      status: 'succeeded',
      generation: 2,
      releases: 1,
    });
    expect(await relayed(world)).toHaveLength(1);
  });
});

describe('a note', () => {
  it.each<[string, Parameters<typeof unreliable>[1]]>([
    ['whose reply is lost', () => 'reply-lost'],
    ['that never arrives', () => 'request-lost'],
  ])(
    '%s ends neither the attempt nor the notes behind it (case fencing 15, 16)',
    async (_, fate) => {
      const world = aWorld();
      const signals: boolean[] = [];
      let notes = 0;
      const isNote = ([write]: readonly Write[]) =>
        write?.kind === 'update' && write.set?.['progress'] !== undefined;
      const store = unreliable(world.store, (writes) =>
        isNote(writes) && notes++ === 0 ? fate(writes) : 'arrives',
      );
      const noted = async (own: Attempt<unknown>, n: number) => {
        await own.progress({ n });
        signals.push(own.signal.aborted);
        world.clock.step((world.clock.now() + seconds(2)) as never);
      };
      const job = countJob(async (own) => {
        await noted(own, 1);
        await noted(own, 2);
        expect(world.job('count', 'A1')).toMatchObject({ progress: { n: 2 } });
        return counts(own);
      });

      const left = await worked({ ...world, store }, job, ...(await commands(world, job, 'A1')));

      expect(left).toEqual([]);
      expect(signals).toEqual([false, false]);
      expect(notes).toBe(2);
      expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded' });
    },
  );
});

describe('a job’s row', () => {
  it('numbers each channel for itself, so that a consumer’s first event is 1 and no command makes a gap (trace H1)', async () => {
    const world = aWorld();
    const job = countJob(async (own) => (own.generation < 4 ? fail('no', 'no') : counts(own)));
    const [first] = await commands(world, job, 'A1');
    await worked(world, job, first as SQSRecord);
    await createJobs(world).retry(job, 'A1');
    await relayed(world);
    await worked(world, job, commandOf(world, 'A1'));

    const events = await relayed(world);
    const commanded = world.sent
      .filter(({ target }) => target === 'commands-count')
      .map(({ entry }) => JSON.parse(entry.body).sequence);

    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(commanded).toEqual([1, 2]);
    const { events: stored } = world.job('count', 'A1') as { events: { n: number }[] };
    expect(stored.map(({ n }) => n)).toEqual([1, 2, 3, 4]);
  });

  it('has no time to live, since it carries the generation (case fencing 40)', async () => {
    const world = aWorld();
    const job = countJob(counts);
    const records = await commands(world, job, 'A1');
    const before = world.job('count', 'A1');
    await worked(world, job, ...records);

    expect(before).not.toHaveProperty('ttl');
    expect(world.job('count', 'A1')).not.toHaveProperty('ttl');
  });

  it('answers the same intent with its stored outcome once it is over (case outbox 17)', async () => {
    const world = aWorld();
    const job = countJob(counts);
    await worked(world, job, ...(await commands(world, job, 'A1')));

    const again = await createJobs(world).submit(job, {
      intentId: 'A1',
      groupId: 'A',
      input: { n: 1 },
    });

    expect(again).toMatchObject({
      kind: 'existing',
      job: { status: 'succeeded', data: { n: 1 } },
    });
  });
});
