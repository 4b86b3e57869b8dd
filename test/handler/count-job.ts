import type { SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import {
  type Attempt,
  complete,
  createJobs,
  defineJob,
  type JobAnswer,
  type JobLimits,
  relayHandler,
} from '../../lib/index.ts';
import type { Commit, Store, Write } from '../../lib/ports/store.ts';
import { type AWorld, aContext, aRecord } from './world.ts';

export type Run = (job: Attempt<{ n: number }>) => Promise<JobAnswer<{ n: number } | undefined>>;

/** A job named `count` with this code. */
export const countJob = (run: Run, limits: JobLimits = {}) =>
  defineJob({ name: 'count', input: v.object({ n: v.number() }), limits, run });

/** Code that completes with the number that it was given. */
export const counts: Run = async (job) => complete({ data: { n: job.input.n } });

/** Submits a job for each name, group and number by the name, and answers their commands as records. */
export async function commands(
  world: AWorld,
  job: ReturnType<typeof countJob>,
  ...names: readonly string[]
): Promise<SQSRecord[]> {
  for (const name of names)
    await createJobs(world).submit(job, {
      intentId: name,
      groupId: name.slice(0, 1),
      input: { n: Number(name.slice(1)) },
    });
  await relayed(world);
  return names.map((name) => commandOf(world, name));
}

/** The last command of a job as a record of its queue. */
export function commandOf(world: AWorld, name: string): SQSRecord {
  const { id } = world.job('count', name) as { id?: string };
  const command = world.sent.findLast(
    ({ target, entry }) =>
      target === 'commands-count' && JSON.parse(entry.body).subject === (id ?? ''),
  );
  if (command === undefined) throw new Error(`no command of ${name} was published`);
  return aRecord(name, { body: command.entry.body });
}

/** Lets a relay publish what the stream has not shown yet; answers all events so far. */
export async function relayed(world: AWorld): Promise<readonly Record<string, unknown>[]> {
  const records = world.stream.shards().flatMap((shard) => shard.records.splice(0));
  if (records.length > 0)
    await relayHandler(world)({ Records: records.map(({ record }) => record) }, aContext(world));
  return world.sent
    .filter(({ target }) => target === 'events')
    .map(({ entry }) => JSON.parse(entry.body));
}

/** A store whose commits `fate` may swallow: the request before it arrives, or its reply. */
export const unreliable = (
  store: Store,
  fate: (writes: readonly Write[]) => 'request-lost' | 'reply-lost' | 'arrives',
): Store => ({
  knows: (table) => store.knows(table),
  read: (table, key) => store.read(table, key),
  query: (table, by) => store.query(table, by),
  scan: (table, by) => store.scan(table, by),
  async commit(writes): Promise<Commit> {
    const end = fate(writes);
    if (end === 'request-lost') return { kind: 'unknown' };
    const commit = await store.commit(writes);
    return end === 'reply-lost' ? { kind: 'unknown' } : commit;
  },
});

/** Moves the clock on for as long as somebody sleeps on it. */
export async function slept<T>(world: AWorld, pending: Promise<T>): Promise<T> {
  let isOver = false;
  const over = pending.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const next = world.clock.next();
    if (next !== undefined && !isOver) world.clock.step(next);
  }
  return over;
}
