import { describe, expect, it } from 'vitest';
import { type Attempt, createJobs, jobHandler, minutes, seconds } from '../../lib/index.ts';
import { keyOf } from '../../lib/job/job.ts';
import { commandOf, commands, countJob, counts, slept } from './count-job.ts';
import { type AWorld, aContext, anEvent, aWorld } from './world.ts';

type CountJob = ReturnType<typeof countJob>;

/** What the signal of an attempt says once `happens` has happened, before and after its next note. */
async function reasons(happens: (world: AWorld, job: CountJob) => unknown, attempt = minutes(15)) {
  const world = aWorld();
  const seen: unknown[] = [];
  const told: unknown[] = [];
  const look = ({ signal }: Attempt<unknown>) => seen.push(signal.reason?.code);
  const job: CountJob = countJob(
    async (own) => {
      own.signal.addEventListener('abort', () => told.push(own.signal.reason.code));
      await happens(world, job);
      look(own);
      await own.progress({ half: true }).catch(() => {});
      look(own);
      return counts(own);
    },
    { attempt },
  );
  await commands(world, job, 'A1');
  await slept(world, jobHandler(job, world)(anEvent(commandOf(world, 'A1')), aContext(world)));
  return { seen, told };
}

const forward = (world: AWorld, by: number) => world.clock.step((world.clock.now() + by) as never);

/** Another owner has ended the job, in the row as it is. */
const ended = (status: string) => (world: AWorld) => {
  const { id } = world.job('count', 'A1') as { id: never };
  const set = { status, attemptId: 'B', generation: 2 };
  return world.store.commit([
    { kind: 'update', table: 'jobs', key: keyOf(id), when: [], set, remove: ['news'] },
  ]);
};

describe('the reason of an attempt’s signal', () => {
  it.each<[string, string, Parameters<typeof reasons>]>([
    [
      'cancelled',
      'a cancellation was asked for',
      [(world, job) => createJobs(world).cancel(job, 'A1')],
    ],
    [
      'cancelled',
      'it was cancelled by force',
      [(world, job) => createJobs(world).cancel(job, 'A1', { force: true })],
    ],
    [
      'superseded',
      'an operator released it',
      [(world, job) => createJobs(world).release(job, 'A1')],
    ],
    ['superseded', 'another owner completed it', [ended('succeeded')]],
    ['superseded', 'another owner failed it', [ended('failed')]],
  ])('says %s at the next note once %s', async (code, _, plan) => {
    const { seen, told } = await reasons(...plan);

    expect(seen).toEqual([undefined, code]);
    expect(told).toEqual([code]);
  });

  it.each<[string, Parameters<typeof reasons>]>([
    ['the invocation is about to end', [(world) => forward(world, seconds(58))]],
    ['the attempt’s own limit is over', [(world) => forward(world, seconds(20)), seconds(20)]],
  ])('says deadline at once when %s', async (_, plan) => {
    const { seen, told } = await reasons(...plan);

    expect(seen).toEqual(['deadline', 'deadline']);
    expect(told).toEqual(['deadline']);
  });

  it('stays the first, whatever comes after it', async () => {
    const { seen, told } = await reasons((world, job) => {
      forward(world, seconds(58));
      return createJobs(world).cancel(job, 'A1');
    });

    expect(seen).toEqual(['deadline', 'deadline']);
    expect(told).toEqual(['deadline']);
  });
});
