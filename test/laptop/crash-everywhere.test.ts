import { describe, expect, it } from 'vitest';
import { type Laptop, type Point, startLaptop } from '../../lib/local/index.ts';
import { endOf, finishJob, inputOf, type Walk, type Way, walkJob } from './walk-job.ts';

/** One history of three jobs of one group under some fault. */
async function history(way: Way, fault: (laptop: Laptop) => void, job: Walk = walkJob) {
  await using laptop = await startLaptop({ jobs: [job] });
  fault(laptop);
  const intents = ['a', 'b', 'c'];
  for (const intentId of intents)
    await laptop.jobs.submit(job, { intentId, groupId: 'A', input: inputOf(way) });

  const settled = await laptop.settle();
  const views = await Promise.all(intents.map((intent) => laptop.jobs.get(job, intent)));
  const results = await Promise.all(intents.map((intent) => laptop.jobs.result(job, intent)));
  const kept = new Set(results.map((result) => (result.kind === 'ready' ? result.key : undefined)));
  const orphans: string[] = [];
  for await (const key of laptop.world.bucket.list('results/'))
    if (!kept.has(key)) orphans.push(key);
  return {
    settled,
    views,
    orphans,
    struck: laptop.strikes().filter(({ what }) => what !== 'thaw').length,
    events: laptop.events(job),
    failed: laptop.happenings('job-failed'),
    finishedFor: laptop.happenings('job-finished-for').length,
  };
}

/** What must hold after any history: each job ended once, was announced, and left nothing behind. */
function check(seen: Awaited<ReturnType<typeof history>>, way: Way, where: string): void {
  const end = way === 'fail' ? 'failed' : 'succeeded';
  expect(seen.settled, where).toEqual({ kind: 'quiet' });
  expect(
    seen.views.map((view) => view?.status),
    where,
  ).toEqual([end, end, end]);
  const ends = seen.events.filter(({ type }) => type === endOf[way]);
  expect(new Set(ends.map(({ id }) => id)).size, where).toBe(3);
  expect(new Set(seen.events.map(({ id }) => id)).size, where).toBe(3);
  expect(seen.orphans, where).toEqual([]);
}

describe.each<[string, Way]>([
  ['commands-walk', 'complete'],
  ['commands-walk', 'fail'],
  ['commands-walk', 'retry-later'],
  ['relay', 'complete'],
  ['sweeper', 'fail'],
])('a %s that crashes at each of its steps in turn, on the way to %s', (of, way) => {
  it('leaves no job without its end, no end unannounced, and no orphan (case outbox 55)', async () => {
    let step = 1;
    for (; ; step++) {
      const seen = await history(way, (laptop) => laptop.faults.crash({ step, of, worker: 1 }));
      check(seen, way, `step ${step}`);
      if (seen.struck === 0) break;
    }

    expect(step).toBeGreaterThan(4);
  });
});

describe.each<[Point, Way]>([
  ['claim', 'complete'],
  ['write', 'complete'],
  ['complete', 'complete'],
  ['complete', 'fail'],
  ['release', 'retry-later'],
  ['publish', 'complete'],
  ['ledger', 'complete'],
])('a reply that gets lost at %s, on the way to %s', (at, way) => {
  it('is no failure: the winner wins once and is never told that it lost', async () => {
    const seen = await history(way, (laptop) => laptop.faults.loseReply(at));

    expect(seen.struck).toBe(1);
    check(seen, way, at);
    if (way !== 'fail') expect(seen.failed).toEqual([]);
    expect(seen.views.every((view) => (view?.generation ?? 9) <= 2)).toBe(true);
  });
});

describe('a command that comes twice', () => {
  it('runs once', async () => {
    const seen = await history('complete', (laptop) =>
      laptop.faults.deliverTwice('commands-walk.fifo'),
    );

    check(seen, 'complete', 'twice');
    expect(seen.views.map((view) => view?.generation)).toEqual([1, 1, 1]);
  });
});

describe.each<[string, Way]>([
  ['commands-walk', 'complete'],
  ['commands-walk', 'retry-later'],
  ['sweeper', 'complete'],
])('a %s that crashes at each of its steps, on the way to %s of a job with finish', (of, way) => {
  it('leaves no job without its end, no end twice, and no manifest behind (case fencing 68)', async () => {
    let step = 1;
    let finishedFor = 0;
    for (; ; step++) {
      const fault = (laptop: Laptop) => laptop.faults.crash({ step, of, worker: 1 });
      const seen = await history(way, fault, finishJob);
      check(seen, way, `step ${step}`);
      expect(seen.events, `step ${step}`).toHaveLength(3);
      finishedFor += seen.finishedFor;
      if (seen.struck === 0) break;
    }

    expect(step).toBeGreaterThan(4);
    expect(finishedFor > 0).toBe(of === 'commands-walk');
  });
});

describe.each<Point>(['claim', 'write', 'complete'])(
  'a reply that gets lost at %s of a job with finish',
  (at) => {
    it('is no failure, and nothing is done or finished for anybody', async () => {
      const seen = await history('complete', (laptop) => laptop.faults.loseReply(at), finishJob);

      expect(seen.struck).toBe(1);
      check(seen, 'complete', at);
      expect(seen.failed).toEqual([]);
      expect(seen.views.map((view) => view?.generation)).toEqual([1, 1, 1]);
      expect(seen.finishedFor).toBe(0);
    });
  },
);
