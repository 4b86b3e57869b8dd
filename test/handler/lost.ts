import {
  createJobs,
  jobHandler,
  minutes,
  type Reconciled,
  type ReconcileEvent,
  type ReconcileSettings,
  reconcileHandler,
} from '../../lib/index.ts';
import type { Duration, Instant } from '../../lib/kernel/brand.ts';
import { later } from '../../lib/kernel/time.ts';
import { commandOf, countJob, counts, relayed, slept } from './count-job.ts';
import { type AWorld, aContext, anEvent } from './world.ts';

/** The job of these tests. */
export const job = countJob(counts);

/** Submits a job in the group of its first letter; its command is in the stream and nowhere else. */
export const submit = (world: AWorld, name: string) =>
  createJobs(world).submit(job, { intentId: name, groupId: name.slice(0, 1), input: { n: 1 } });

/** Does a job whose command was published, so that its end is in the stream. */
export const work = (world: AWorld, name: string) =>
  jobHandler(job, world)(anEvent(commandOf(world, name)), aContext(world));

/** What the stream has not shown yet is trimmed. */
export const lose = (world: AWorld): void => {
  for (const shard of world.stream.shards()) shard.records.splice(0);
};

/** The ledger loses its proofs. */
export async function forget(world: AWorld): Promise<void> {
  for (const { pk, sk } of world.store.all('ledger'))
    await world.store.commit([
      { table: 'ledger', key: { pk: String(pk), sk: String(sk) }, when: [], kind: 'delete' },
    ]);
}

/** Time goes by. */
export const pass = (world: AWorld, length: Duration): void => {
  world.clock.step(later(world.clock.now(), length));
};

/** One invocation of reconcile with five minutes, in which sleeps take no time of ours. */
export const reconcile = (
  world: AWorld,
  event: ReconcileEvent = {},
  { time = minutes(5), ...settings }: ReconcileSettings & { readonly time?: Duration } = {},
): Promise<Reconciled> =>
  slept(world, reconcileHandler(world, settings)(event, aContext(world, time)));

/** What was sent, as consumers see it. */
export const sent = (world: AWorld) =>
  world.sent.map(({ target, entry }) => ({
    target,
    dedupId: entry.id,
    ...(JSON.parse(entry.body) as {
      readonly id: string;
      readonly intentid: string;
      readonly sequence: number;
      readonly replay?: boolean;
    }),
  }));

/** The names of the jobs whose messages were sent, in order. */
export const names = (world: AWorld): readonly string[] =>
  sent(world).map(({ intentid }) => intentid);

export const watermark = (world: AWorld) =>
  world.store.peek('ledger', { pk: 'reconcile', sk: 'watermark' });

export const iso = (world: AWorld, ago: Duration): string =>
  new Date((world.clock.now() - ago) as Instant).toISOString();

export { relayed };
