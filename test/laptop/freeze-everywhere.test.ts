import { describe, expect, it } from 'vitest';
import { minutes } from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';
import { endOf, finishJob, inputOf, type Walk, type Way, walkJob } from './walk-job.ts';

/** One history with the first worker frozen at its n-th step, and thawed once its job has been taken over and ended. */
async function history(way: Way, of: string, step: number, job: Walk = walkJob) {
  await using laptop = await startLaptop({ jobs: [job] });
  const frozen = laptop.faults.freeze({ step, of, worker: 1 });
  await laptop.jobs.submit(job, { intentId: 'a', input: inputOf(way) });
  await laptop.settle();
  const before = await laptop.jobs.get(job, 'a');
  const published = laptop.events(walkJob).length;

  frozen.thaw();
  await laptop.clock.forward(minutes(30));

  return {
    struck: laptop.strikes().some(({ what }) => what === 'freeze'),
    before,
    after: await laptop.jobs.get(job, 'a'),
    settled: await laptop.settle(),
    events: laptop.events(walkJob),
    published,
    result: await laptop.jobs.result(job, 'a'),
    fenced: laptop.happenings('write-fenced').length,
    takenOver: laptop.happenings('job-taken-over').length,
    finishedFor: laptop.happenings('job-finished-for').length,
  };
}

describe.each<Way>(['complete', 'fail', 'retry-later'])(
  'a worker frozen at each await of the job’s path in turn, on the way to %s',
  (way) => {
    // case fencing 62
    it('changes nothing after a takeover, and no event of it is published', async () => {
      let step = 1;
      let fenced = 0;
      let takenOver = 0;
      for (; ; step++) {
        const seen = await history(way, 'commands-walk', step);
        if (!seen.struck) break;

        expect(seen.settled, `step ${step}`).toEqual({ kind: 'quiet' });
        expect(seen.after, `step ${step}`).toEqual(seen.before);
        expect(seen.events.length, `step ${step}`).toBe(seen.published);
        expect(seen.events.map(({ type }) => type)).toEqual([endOf[way]]);
        if (way !== 'fail')
          expect(seen.result, `step ${step}`).toMatchObject({ kind: 'ready', size: 6 });
        // What had left when it froze meets the fence; what it would send afterwards never leaves it.
        expect(seen.fenced, `step ${step}`).toBeLessThanOrEqual(1);
        fenced += seen.fenced;
        takenOver += seen.takenOver;
      }

      expect(step).toBeGreaterThan(12);
      expect(takenOver).toBeGreaterThan(3);
      expect(fenced).toBeGreaterThan(0);
    });
  },
);

describe('a relay frozen at each of its awaits in turn', () => {
  it('loses no event, and what it sends late is a repeat with the same id', async () => {
    let step = 1;
    for (; ; step++) {
      const seen = await history('complete', 'relay', step);
      if (!seen.struck) break;

      expect(seen.settled, `step ${step}`).toEqual({ kind: 'quiet' });
      expect(seen.after, `step ${step}`).toMatchObject({ status: 'succeeded' });
      expect(new Set(seen.events.map(({ id }) => id)).size, `step ${step}`).toBe(1);
    }

    expect(step).toBeGreaterThan(4);
  });
});

describe('a worker of a job with finish, frozen at each await of its path in turn', () => {
  it('is finished for once its manifest is there, and is taken over before: either way it changes nothing when it wakes', async () => {
    let step = 1;
    let finishedFor = 0;
    let takenOver = 0;
    for (; ; step++) {
      const seen = await history('complete', 'commands-walk', step, finishJob);
      if (!seen.struck) break;

      const where = `step ${step}`;
      expect(seen.settled, where).toEqual({ kind: 'quiet' });
      expect(seen.after, where).toEqual(seen.before);
      expect(seen.events.length, where).toBe(seen.published);
      expect(seen.events.length, where).toBe(1);
      expect(seen.takenOver + seen.finishedFor, where).toBeLessThanOrEqual(1);
      const by = seen.takenOver === 1 ? 2 : 1;
      expect(seen.after, where).toMatchObject({
        status: 'succeeded',
        generation: by,
        data: { by },
      });
      expect(seen.result, where).toMatchObject({ kind: 'ready', size: 6 });
      expect(seen.fenced, where).toBeLessThanOrEqual(seen.takenOver);
      finishedFor += seen.finishedFor;
      takenOver += seen.takenOver;
    }

    expect(step).toBeGreaterThan(14);
    expect(takenOver).toBeGreaterThan(3);
    // Behind the manifest's effect, at its reply, and before the completion.
    expect(finishedFor).toBeGreaterThan(1);
  });
});
