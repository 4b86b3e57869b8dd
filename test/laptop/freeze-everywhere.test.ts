import { describe, expect, it } from 'vitest';
import { minutes } from '../../lib/index.ts';
import { startLaptop } from '../../lib/local/index.ts';
import { endOf, inputOf, type Way, walkJob } from './walk-job.ts';

/** One history with the first worker frozen at its n-th step, and thawed once its job has been taken over and ended. */
async function history(way: Way, of: string, step: number) {
  await using laptop = await startLaptop({ jobs: [walkJob] });
  const frozen = laptop.faults.freeze({ step, of, worker: 1 });
  await laptop.jobs.submit(walkJob, { intentId: 'a', input: inputOf(way) });
  await laptop.settle();
  const before = await laptop.jobs.get(walkJob, 'a');
  const published = laptop.events(walkJob).length;

  frozen.thaw();
  await laptop.clock.forward(minutes(30));

  return {
    struck: laptop.strikes().some(({ what }) => what === 'freeze'),
    before,
    after: await laptop.jobs.get(walkJob, 'a'),
    settled: await laptop.settle(),
    events: laptop.events(walkJob),
    published,
    result: await laptop.jobs.result(walkJob, 'a'),
    fenced: laptop.happenings('write-fenced').length,
    takenOver: laptop.happenings('job-taken-over').length,
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
