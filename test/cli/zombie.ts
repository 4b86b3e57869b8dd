import * as v from 'valibot';
import {
  complete,
  createJobs,
  defineJob,
  type Job,
  jobHandler,
  type World,
} from '../../lib/index.ts';
import { refusalsOf } from '../../lib/job/refused.ts';
import type { Instant, JobId } from '../../lib/kernel/brand.ts';
import { commandOf } from '../aws/command-of.ts';
import { anEvent } from '../handler/world.ts';

type Context = Parameters<ReturnType<typeof jobHandler>>[1];

/** Lambda's context, with a minute left. */
const context = {
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 60_000,
} as unknown as Context;

/** A job that writes its number as a file. */
export const countJob = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  async run(job) {
    const result = await job.write('n.txt', String(job.input.n), { contentType: 'text/plain' });
    return complete({ result, data: { n: job.input.n } });
  },
});

/** Submits a job in a group of its own, and answers its id. */
export async function submitted(world: World, intentId: string, n = 1): Promise<string> {
  const made = await createJobs(world).submit(countJob, {
    intentId,
    groupId: `group-${intentId}`,
    input: { n },
  });
  if (made.kind === 'refused') throw made.failure;
  return made.job.id;
}

/** Submits a job and works on it until it ends. */
export async function worked(world: World, intentId: string, job: Job = countJob): Promise<string> {
  const id = await submitted(world, intentId);
  await jobHandler(job, world)(anEvent(await command(world, intentId)), context);
  return id;
}

/** A job whose first attempt falls silent, is taken over, and tries to complete when it wakes. */
export async function zombie(world: World, intentId: string): Promise<string> {
  const id = await submitted(world, intentId);
  const record = await command(world, intentId);
  const [began, wake] = [latch(), latch()];
  const sleepy = defineJob({
    name: 'count',
    input: v.object({ n: v.number() }),
    async run(job) {
      const result = await job.write('n.txt', 'stale', { contentType: 'text/plain' });
      began.open();
      await wake.opened;
      return complete({ result, data: { n: job.input.n } });
    },
  });
  const first = jobHandler(sleepy, late(world))(anEvent(record), context);
  await began.opened;
  await jobHandler(countJob, world)(anEvent(record), context);
  wake.open();
  await first;
  await mended(world, id);
  return id;
}

/** The command of a job as a record of its queue. */
async function command(world: World, intentId: string) {
  const view = await createJobs(world).get(countJob, intentId);
  if (view === undefined) throw new Error(`there is no job ${intentId}`);
  return commandOf(world, view);
}

/** How late a worker's clock is, so that its lease is over at once. */
const lag = 1_200_000;

/** The same world to a worker whose clock is late. */
const late = ({ store, bucket, sender, visibility, random, observe, clock }: World): World => ({
  ...{ store, bucket, sender, visibility, random, observe },
  clock: {
    now: () => (clock.now() - lag) as Instant,
    sleep: (length, signal) => clock.sleep(length, signal),
    alarm: (at, ring) => clock.alarm((at + lag) as Instant, ring),
  },
});

/** Puts the times right that the worker with the late clock wrote beside the job's row. */
async function mended({ store }: World, id: string): Promise<void> {
  for await (const { pk, sk } of store.query('care', { pk: refusalsOf(id as JobId) }))
    await store.commit([
      {
        table: 'care',
        key: { pk: String(pk), sk: String(sk) },
        when: [],
        kind: 'update',
        add: { at: lag },
      },
    ]);
}

function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
