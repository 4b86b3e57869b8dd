import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../lib/index.ts';
import { type Laptop, startLaptop } from '../../lib/local/index.ts';
import { inputOf, walkJob } from './walk-job.ts';

type Act = (laptop: Laptop) => Promise<unknown>;

/** One history with a worker frozen at its n-th step, an operator's act while it is frozen, and a late thaw. */
async function history(act: Act, step: number) {
  await using laptop = await startLaptop({ jobs: [walkJob] });
  const frozen = laptop.faults.freeze({ step, of: 'commands-walk', worker: 1 });
  await laptop.jobs.submit(walkJob, { intentId: 'a', input: inputOf('complete') });
  await laptop.clock.forward(minutes(0.25));
  await act(laptop);
  const settled = [await laptop.settle()];
  const before = await laptop.jobs.get(walkJob, 'a');

  frozen.thaw();
  await laptop.clock.forward(hours(26));
  settled.push(await laptop.settle());

  const orphans: string[] = [];
  const result = await laptop.jobs.result(walkJob, 'a');
  for await (const key of laptop.world.bucket.list('results/'))
    if (result.kind !== 'ready' || key !== result.key) orphans.push(key);
  return {
    struck: laptop.strikes().some(({ what }) => what === 'freeze'),
    settled: settled.map(({ kind }) => kind),
    before,
    after: await laptop.jobs.get(walkJob, 'a'),
    ends: laptop.events(walkJob).map(({ type }) => type),
    orphans,
  };
}

describe.each<[string, Act, readonly string[]]>([
  [
    'cancels by force (case fencing 4, 30)',
    (laptop) => laptop.jobs.cancel(walkJob, 'a', { force: true }),
    ['cancelled', 'succeeded'],
  ],
  [
    'asks for a cancellation (trace H7, case fencing 67)',
    (laptop) => laptop.jobs.cancel(walkJob, 'a'),
    ['cancelled', 'succeeded'],
  ],
  [
    'releases the job (case fencing 17)',
    (laptop) => laptop.jobs.release(walkJob, 'a'),
    ['succeeded'],
  ],
])('an operator who %s while the owner is frozen at each of its steps in turn', (_, act, ends) => {
  it('is obeyed or comes too late; the owner changes nothing when it wakes, and one end is announced', async () => {
    const seen = new Set<string | undefined>();
    let step = 1;
    for (; ; step++) {
      const one = await history(act, step);
      if (!one.struck) break;

      expect(one.settled, `step ${step}`).toEqual(['quiet', 'quiet']);
      expect(one.after, `step ${step}`).toEqual(one.before);
      expect(one.ends, `step ${step}`).toEqual([`walk.${one.after?.status}`]);
      expect(one.orphans, `step ${step}`).toEqual([]);
      seen.add(one.after?.status);
    }

    expect(step).toBeGreaterThan(12);
    expect([...seen].sort()).toEqual(ends);
  });
});
