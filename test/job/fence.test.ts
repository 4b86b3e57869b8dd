import { describe, expect, it } from 'vitest';
import { claimJob } from '../../lib/handler/claim-job.ts';
import { answered } from '../../lib/job/answer.ts';
import { type Bid, nextAsk } from '../../lib/job/claim.ts';
import { asEnded, type Ending, ending } from '../../lib/job/ending.ts';
import { jobOf, keyOf, type RunningJob } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { type Verb, verbStep } from '../../lib/job/operator.ts';
import { progressed, renewal } from '../../lib/job/progress.ts';
import { submission } from '../../lib/job/submit.ts';
import type { GroupId, Instant } from '../../lib/kernel/brand.ts';
import { hours, later, minutes } from '../../lib/kernel/time.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryBucket } from '../../lib/local/memory-bucket.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import type { Commit, Row, Write } from '../../lib/ports/store.ts';
import { at, incarnation } from './rows.ts';

const id = jobId('export', 'a');
const minute = 60_000;

/** A store with one submitted job, and the acts of workers A, B … on it. */
async function aJob(made = incarnation) {
  const store = new MemoryStore({ jobs: {} });
  const submit = (own: string) =>
    store.commit([
      submission({
        kind: 'export',
        intentId: 'a',
        groupId: 'A' as GroupId,
        inputHash: 'hash',
        input: { text: '{}' },
        incarnation: own,
        at: at(0),
      }),
    ]);
  await submit(made);
  const row = (): Row => store.peek('jobs', keyOf(id)) ?? {};
  const bid = (attemptId: string, now: Instant, of = made): Bid => ({
    id,
    incarnation: of,
    attemptId,
    now,
    leaseUntil: later(now, minutes(1)),
    limits: { failures: 4, takeovers: 5, releases: 100, attempt: minutes(15) },
    finish: false,
  });
  const clock = new HandClock(at(0));
  let isLosing = false;
  const commit = async (writes: readonly Write[]): Promise<Commit> => {
    const committed = await store.commit(writes);
    if (!isLosing || committed.kind !== 'committed') return committed;
    isLosing = false;
    return { kind: 'unknown' };
  };
  const world = {
    store: Object.assign(Object.create(store) as MemoryStore, { commit }),
    clock: Object.assign(Object.create(clock) as HandClock, { sleep: async () => {} }),
    random: new SeededRandom(1, clock),
    bucket: new MemoryBucket('results', clock),
    observe: () => {},
  };
  /** The reply of the next claim that has its effect gets lost. */
  const loseReply = () => {
    isLosing = true;
  };
  const claim = (attemptId: string, now = at(0), of = made) =>
    claimJob(bid(attemptId, now, of), world, { isOpen: () => true });
  async function owner(attemptId: string, now = at(0)): Promise<RunningJob> {
    const claim_ = await claim(attemptId, now);
    if (claim_.kind !== 'granted') throw new Error(`not granted: ${claim_.kind}`);
    return claim_.job;
  }
  async function end(held: RunningJob, asked: Ending, now = at(1)) {
    const write = ending(held, asked, { at: now, leavesOrphans: false });
    return answered(held, asEnded(held, asked).kind, await store.commit([write]));
  }
  async function act(verb: Verb, now = at(1)) {
    const step = verbStep(verb, row(), now);
    if (step.kind === 'write') await store.commit([step.write]);
    return step.kind;
  }
  const note = async (held: RunningJob) =>
    answered(held, 'running', await store.commit([progressed(held, { half: true })]));
  const renew = async (held: RunningJob, until: Instant) =>
    answered(held, 'running', await store.commit([renewal(held, until)]));
  return { store, submit, row, bid, claim, owner, end, act, note, renew, loseReply };
}

const complete: Ending = { kind: 'succeeded', data: { by: 1 } };
const force: Verb = { kind: 'cancel', force: true, because: undefined };
const overdue = at(2 * minute);

describe('a stale owner', () => {
  it.each<[string, Ending]>([
    ['completes', complete],
    ['fails', { kind: 'failed', failure: { code: 'x', message: 'x', facts: {} } }],
    ['puts back', { kind: 'queued', spends: 'failures' }],
  ])(
    'that %s the job after a takeover changes nothing (case fencing 1, 2, 26, 37, 69)',
    async (_, asked) => {
      const job = await aJob();
      const a = await job.owner('A');
      const b = await job.owner('B', overdue);
      const before = job.row();

      const answer = await job.end(a, asked);

      expect(answer).toMatchObject({ kind: 'superseded', by: 2 });
      expect(job.row()).toEqual(before);
      expect(await job.end(b, complete)).toMatchObject({ kind: 'committed' });
    },
  );

  it('is refused though the job is running again (case fencing 3)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    const b = await job.owner('B', overdue);
    await job.end(b, { kind: 'queued', spends: 'releases' });
    await job.owner('C', overdue);

    expect(await job.end(a, complete)).toMatchObject({ kind: 'superseded', by: 3 });
  });

  it('can’t complete a job that was deleted and made anew, whose counters began again (case fencing, row recreate)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.store.commit([{ kind: 'delete', table: 'jobs', key: keyOf(id), when: [] }]);
    const other = '01K00000000000000000000000';
    await job.submit(other);
    await job.claim('B', at(0), other);
    const before = job.row();

    expect(await job.end(a, complete)).toMatchObject({ kind: 'superseded' });
    expect(await job.note(a)).toMatchObject({ kind: 'superseded' });
    expect(job.row()).toEqual(before);
  });

  it('writes no note and creates no row by one (case fencing 27)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.store.commit([{ kind: 'delete', table: 'jobs', key: keyOf(id), when: [] }]);

    expect(await job.note(a)).toMatchObject({ kind: 'superseded' });
    expect(job.row()).toEqual({});
  });

  it('can’t lengthen the lease of the new owner (case fencing 12)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    const b = await job.owner('B', overdue);

    expect(await job.renew(a, at(9 * minute))).toMatchObject({ kind: 'superseded', by: 2 });
    expect(job.row()).toMatchObject({ leaseUntil: b.leaseUntil });
  });

  it('can’t bring a finished job back by a late renewal (case fencing 13)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.end(a, complete);

    expect(await job.renew(a, at(9 * minute))).toMatchObject({ kind: 'already-mine' });
    expect(job.row()).toMatchObject({ status: 'succeeded' });
  });
});

describe('an owner', () => {
  it('whose lease is over may still complete while nobody took over (case fencing 24)', async () => {
    const job = await aJob();
    const a = await job.owner('A');

    expect(await job.end(a, complete, at(hours(5)))).toMatchObject({ kind: 'committed' });
  });

  it('is told that it won when it sends its completion again (case fencing 32)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.end(a, complete);

    expect(await job.end(a, complete)).toMatchObject({ kind: 'already-mine' });
    expect(job.row()['events']).toHaveLength(2);
  });

  it('that succeeds leaves no text of the failures before it', async () => {
    const job = await aJob();
    const failure = { code: 'busy', message: 'busy', facts: {} };
    await job.end(await job.owner('A'), { kind: 'queued', spends: 'failures', failure });
    expect(job.row()).toMatchObject({ failures: 1, failure });

    await job.end(await job.owner('B'), complete);

    expect(job.row()).toMatchObject({ status: 'succeeded', failures: 1 });
    expect(job.row()).not.toHaveProperty('failure');
  });

  it('recognises its own claim when it asks again (case fencing 22)', async () => {
    const job = await aJob();
    await job.owner('A');

    expect(await job.claim('A')).toMatchObject({ kind: 'mine', job: { generation: 1 } });
  });

  it('renews its lease without touching the version, and never shortens it (trace I7)', async () => {
    const job = await aJob();
    const a = await job.owner('A');

    const longer = await job.renew(a, at(9 * minute));
    const shorter = await job.renew(a, at(3 * minute));

    expect([longer.kind, shorter.kind]).toEqual(['committed', 'moved']);
    expect(job.row()).toMatchObject({ leaseUntil: at(9 * minute), version: a.version });
    expect(await job.end(a, complete)).toMatchObject({ kind: 'committed' });
  });

  it('keeps its completion although its notes went in between', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.note(a);

    expect(job.row()).toMatchObject({ progress: { half: true }, version: a.version });
    expect(await job.end(a, complete)).toMatchObject({ kind: 'committed' });
    expect(job.row()).not.toHaveProperty('progress');
  });

  it('meets `moved`, and not a loss, when somebody who may has changed the row (case fencing 46)', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.act({ kind: 'cancel', force: false, because: undefined });

    const moved = await job.end(a, complete);

    expect(moved).toMatchObject({ kind: 'moved', job: { cancelRequestedAt: at(1) } });
    const again = moved.kind === 'moved' ? moved.job : a;
    expect(await job.end(again, complete)).toMatchObject({ kind: 'committed' });
  });
});

describe('a claim', () => {
  it('is granted to one of fifty at once, also inside one process (case fencing 6, 8)', async () => {
    const job = await aJob();

    const claims = await Promise.all(Array.from({ length: 50 }, (_, i) => job.claim(`W${i}`)));

    expect(claims.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'held')).toHaveLength(49);
  });

  it('is never granted on a cancelled job by a late timer (case fencing 4)', async () => {
    const job = await aJob();
    await job.act(force);

    expect(await job.claim('A')).toMatchObject({ kind: 'cancelled' });
  });

  it('cancels instead of running again when the owner fell silent after the request (trace H7)', async () => {
    const job = await aJob();
    await job.owner('A');
    await job.act({ kind: 'cancel', force: false, because: 'not needed' });

    expect(await job.claim('B', overdue)).toMatchObject({ kind: 'cancelled', now: true });
    expect(job.row()).toMatchObject({
      status: 'cancelled',
      generation: 1,
      events: [{}, { type: 'export.cancelled', data: { because: 'not needed' } }],
    });
  });

  it.each<[string, Row, object]>([
    [
      'ended a worn-out job',
      { takeovers: 5, firstTakeoverAt: at(0) },
      { kind: 'worn-out', now: true },
    ],
    ['cancelled a job', { cancelRequestedAt: at(1) }, { kind: 'cancelled', now: true }],
    ['took over', {}, { kind: 'mine', job: { attemptId: 'B', generation: 2 } }],
  ])('that %s is told so, though its reply got lost (promise P10)', async (_, set, answer) => {
    const job = await aJob();
    await job.owner('A');
    await job.store.commit([{ kind: 'update', table: 'jobs', key: keyOf(id), when: [], set }]);
    job.loseReply();

    expect(await job.claim('B', at(hours(2)))).toMatchObject(answer);
  });

  it('lets owners that fell silent too often end the job, whose late owner then changes nothing (case fencing 48)', async () => {
    const job = await aJob();
    let owner = await job.owner('A');
    for (let i = 1; i <= 5; i++) owner = await job.owner(`A${i}`, at(i * 20 * minute));

    const claim = await job.claim('B', at(6 * 20 * minute));

    expect(claim).toMatchObject({ kind: 'worn-out', now: true });
    expect(job.row()).toMatchObject({ status: 'failed', takeovers: 5, generation: 7 });
    expect(await job.end(owner, complete)).toMatchObject({ kind: 'superseded', by: 7 });
  });
});

describe('a request to cancel that comes between a claim’s reading and its write', () => {
  it('wins over the job’s being worn out, and its event carries the row’s version (trace H7, H19)', async () => {
    const job = await aJob();
    await job.owner('A');
    for (let i = 1; i <= 5; i++) await job.owner(`A${i}`, at(i * 20 * minute));
    const late = at(6 * 20 * minute);
    const step = nextAsk(job.bid('B', late), job.row());
    await job.act({ kind: 'cancel', force: false, because: undefined });

    const commit = step.kind === 'write' ? await job.store.commit([step.write]) : undefined;

    expect(step).toMatchObject({ kind: 'write', means: 'worn-out' });
    expect(commit).toMatchObject({ kind: 'refused' });
    expect(await job.claim('B', late)).toMatchObject({ kind: 'cancelled', now: true });
    const { version } = job.row();
    expect(job.row()).toMatchObject({ status: 'cancelled', events: [{}, { version }] });
  });
});

describe('a silent owner whose job a claim cancelled', () => {
  it('is told so, and does not take the cancellation for its own', async () => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.act({ kind: 'cancel', force: false, because: undefined });
    await job.claim('B', overdue);

    const asked: Ending = { kind: 'queued', spends: 'releases' };
    const requested = { ...a, version: a.version + 1, cancelRequestedAt: at(1) };

    expect(await job.end(requested, asked)).toMatchObject({ kind: 'cancelled' });
    expect(await job.claim('B', overdue)).toMatchObject({ kind: 'cancelled', now: true });
  });
});

describe('an operator', () => {
  it.each<[string, Verb]>([
    ['releases', { kind: 'release', because: undefined }],
    ['cancels by force', force],
  ])('who %s a running job fences its owner (case fencing 17, 30)', async (_, verb) => {
    const job = await aJob();
    const a = await job.owner('A');
    await job.act(verb);
    const before = job.row();

    const answer = await job.end(a, complete);

    expect(['superseded', 'cancelled']).toContain(answer.kind);
    expect(answer).toMatchObject({ by: 2 });
    expect(job.row()).toEqual(before);
  });

  it('who acts on an old reading is refused (case fencing 7)', async () => {
    const job = await aJob();
    await job.owner('A');
    const step = verbStep({ kind: 'release', because: undefined }, job.row(), at(1));
    await job.owner('B', overdue);

    const commit = step.kind === 'write' ? await job.store.commit([step.write]) : undefined;

    expect(commit).toMatchObject({ kind: 'refused' });
    expect(job.row()).toMatchObject({ status: 'running', attemptId: 'B' });
  });
});

describe('generation and version', () => {
  it('never fall, and the doorbell rings for events alone (trace I6, H22)', async () => {
    const job = await aJob();
    const seen: Row[] = [job.row()];
    const a = await job.owner('A');
    seen.push(job.row());
    await job.note(a);
    seen.push(job.row());
    await job.end(a, { kind: 'queued', spends: 'failures' });
    seen.push(job.row());
    const b = await job.owner('B');
    seen.push(job.row());
    await job.end(b, complete);
    seen.push(job.row());

    expect(seen.map(({ generation }) => generation)).toEqual([0, 1, 1, 1, 2, 2]);
    expect(seen.map(({ version }) => version)).toEqual([1, 2, 2, 3, 4, 5]);
    expect(seen.map(({ news }) => news)).toEqual([
      1,
      undefined,
      undefined,
      undefined,
      undefined,
      2,
    ]);
    expect(jobOf(job.row())).toMatchObject({ job: { sequences: { commands: 1, events: 1 } } });
  });
});
