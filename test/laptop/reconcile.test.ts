import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../lib/index.ts';
import { type Laptop, startLaptop, type Where } from '../../lib/local/index.ts';
import { inputOf, walkJob } from './walk-job.ts';

/** A day and an hour of traffic without a stream: nothing of it is ever shown, since records live 24 hours. */
async function dayWithoutStream(laptop: Laptop): Promise<readonly string[]> {
  laptop.faults.outage('stream', hours(50));
  const intents: string[] = [];
  for (let hour = 0; hour < 25; hour++) {
    const intentId = `job-${hour}`;
    intents.push(intentId);
    await laptop.jobs.submit(walkJob, { intentId, groupId: 'A', input: inputOf('complete') });
    await laptop.clock.forward(hours(1));
  }
  return intents;
}

async function check(laptop: Laptop, intents: readonly string[]): Promise<void> {
  const views = await Promise.all(intents.map((intent) => laptop.jobs.get(walkJob, intent)));
  expect(views.map((view) => view?.status)).toEqual(intents.map(() => 'succeeded'));
  const ends = laptop.events(walkJob);
  expect(new Set(ends.map(({ id }) => id)).size).toBe(intents.length);
  expect(new Set(ends.map(({ job }) => job.intentId))).toEqual(new Set(intents));
}

const sumOf = (laptop: Laptop): number =>
  laptop.happenings('events-reconciled').reduce((sum, { count }) => sum + count, 0);

describe('a stream that is switched off for longer than it keeps its records', () => {
  it('loses no event and no job: reconcile sends all of them, and what is behind is told (case outbox 10, 11)', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });

    const intents = await dayWithoutStream(laptop);
    await laptop.clock.forward(hours(2));

    await check(laptop, intents);
    expect(sumOf(laptop)).toBe(2 * intents.length);
    expect(laptop.happenings('events-published')).toEqual([]);
    const oldest = laptop.happenings('backlog').map((it) => it.oldest);
    expect(Math.max(...oldest)).toBeGreaterThanOrEqual(minutes(15));
    expect(Math.max(...oldest)).toBeLessThanOrEqual(hours(2));
    await laptop.clock.forward(hours(24));
    expect(sumOf(laptop)).toBe(2 * intents.length);
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
  });

  it('is read again from then on, and repeats nothing that matters', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    await dayWithoutStream(laptop);
    await laptop.clock.forward(hours(26));

    await laptop.jobs.submit(walkJob, { intentId: 'after', input: inputOf('complete') });
    await laptop.clock.forward(minutes(5));

    expect(await laptop.jobs.get(walkJob, 'after')).toMatchObject({ status: 'succeeded' });
    expect(laptop.happenings('events-published').length).toBeGreaterThan(0);
  });
});

describe.each<Where>(
  (['reconcile', 'publish', 'ledger'] as const).flatMap((at) =>
    (['before', 'after'] as const).map((when) => ({ at, when, times: 3 })),
  ),
)('a reconcile that crashes three times, %j', (where) => {
  it('loses nothing', async () => {
    await using laptop = await startLaptop({ jobs: [walkJob] });
    laptop.faults.crash(where);

    const intents = await dayWithoutStream(laptop);
    await laptop.clock.forward(hours(3));

    expect(laptop.strikes().filter(({ what }) => what === 'crash')).toHaveLength(3);
    await check(laptop, intents);
  });
});

describe.each([false, true])(
  'relay and reconcile that crash before they send, timeIndex %s',
  (timeIndex) => {
    it('leave nothing unsent (case outbox 6, 55)', async () => {
      await using laptop = await startLaptop({ jobs: [walkJob], reconcile: { timeIndex } });
      laptop.faults.outage('stream', minutes(40));
      laptop.faults.crash({ at: 'publish', when: 'before', times: 4 });
      const intents = ['a', 'b', 'c'];
      for (const intentId of intents)
        await laptop.jobs.submit(walkJob, { intentId, input: inputOf('complete') });

      await laptop.clock.forward(hours(3));

      await check(laptop, intents);
    });
  },
);
