import { describe, expect, it } from 'vitest';
import { createJobs, hours, minutes, relayHandler } from '../../lib/index.ts';
import { ChangeStream } from '../../lib/local/change-stream.ts';
import type { Write } from '../../lib/ports/store.ts';
import { at } from '../job/rows.ts';
import { job, lose, pass, reconcile, relayed, sent, submit, watermark, work } from './lost.ts';
import { type AWorld, aContext, aWorld } from './world.ts';

/** Everything that the rows say was committed. */
const committed = (world: AWorld): readonly string[] =>
  world.store
    .all('jobs')
    .flatMap(({ events }) => (events as unknown as readonly { id: string }[]).map(({ id }) => id));

const batch = (world: AWorld) =>
  world.stream.shards().flatMap((shard) => shard.records.splice(0).map(({ record }) => record));

/** Whether the first time that each event of a job went to a target, none went before an earlier one. */
function areInOrder(world: AWorld): boolean {
  const seen = new Map<string, number>();
  return sent(world).every(({ id, target }) => {
    const job = `${target} ${id.slice(0, id.lastIndexOf(':'))}`;
    const n = Number(id.slice(id.lastIndexOf(':') + 1));
    const last = seen.get(job) ?? 0;
    seen.set(job, Math.max(last, n));
    return n >= last;
  });
}

describe('a stream that was switched off for 25 hours and made anew', () => {
  it('costs no event: all are published, in order per job, and the report says how many and why (case outbox 10, 11)', async () => {
    const world = aWorld();
    const jobs = createJobs(world);
    await submit(world, 'A0');
    await relayed(world);
    pass(world, minutes(1));
    await work(world, 'A0');
    await relayed(world);
    pass(world, hours(1));
    await reconcile(world);
    world.sent.length = 0;
    world.store.restream('jobs', undefined);
    for (let hour = 1; hour <= 25; hour++) {
      await submit(world, `${'ABC'[hour % 3]}${hour}`);
      if (hour % 2 === 0) await jobs.cancel(job, `${'ABC'[hour % 3]}${hour}`, { because: 'late' });
      pass(world, hours(1));
    }
    const next = new ChangeStream('jobs', world.clock, 1);
    world.store.restream('jobs', next);
    await submit(world, 'A26');
    const shown = next.shards().flatMap((shard) => shard.records.map(({ record }) => record));
    await relayHandler(world)({ Records: shown }, aContext(world));
    const live = sent(world).length;

    const report = await reconcile(world);

    expect(live).toBe(1);
    expect(report.found).toMatchObject([
      { why: 'unproved', target: 'commands-count', published: 25 },
      { why: 'unproved', target: 'events', published: 12 },
    ]);
    expect(report).toMatchObject({ published: 37, held: 0, left: 0, oldestUnproved: hours(25) });
    expect(new Set(sent(world).map(({ id }) => id))).toEqual(
      new Set(
        committed(world).filter((id) => !id.startsWith(String(world.job('count', 'A0')['id']))),
      ),
    );
    expect(areInOrder(world)).toBe(true);
    expect(await reconcile(world)).toMatchObject({ found: [] });
  });

  it('keeps the order of many events of one job, on one target', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    const row = world.job('count', 'A1');
    const events = Array.from({ length: 30 }, (_, i) => ({
      ...{ n: i + 1, channel: 'events', sequence: i + 1, id: `${row['id']}:I:${i + 1}` },
      ...{ type: 'count.x', version: 1, generation: 1, at: at(i) },
    }));
    const key = { pk: String(row['pk']), sk: 'job' };
    await world.store.commit([
      { table: 'jobs', key, when: [], kind: 'update', set: { events, status: 'succeeded' } },
    ]);
    lose(world);
    pass(world, hours(25));
    world.verdicts.push(
      [{ kind: 'sent' }],
      [{ kind: 'sent' }],
      [{ kind: 'outage', why: 'x' }],
      [{ kind: 'outage', why: 'x' }],
    );

    await reconcile(world);
    pass(world, minutes(10));
    await reconcile(world);

    expect(sent(world).map(({ sequence }) => sequence)).toEqual(events.map(({ n }) => n));
  });
});

describe.each<[string, (world: AWorld) => Promise<void>, number]>([
  ['a mapping that was switched off', async (world) => lose(world), 0],
  [
    'a mapping that began behind it (case outbox 7)',
    async (world) => {
      batch(world);
    },
    0,
  ],
  [
    'a batch that was given up',
    async (world) => {
      world.verdicts.push([{ kind: 'outage', why: 'x' }], [{ kind: 'outage', why: 'x' }]);
      await relayHandler(world)({ Records: batch(world) }, aContext(world));
    },
    0,
  ],
  [
    'a relay that was killed before it sent',
    async (world) => {
      const { send } = world.sender;
      world.sender.send = () => new Promise(() => {});
      void relayHandler(world)({ Records: batch(world) }, aContext(world));
      await new Promise((resolve) => setImmediate(resolve));
      world.sender.send = send;
    },
    0,
  ],
  [
    'a relay that was killed between send and ledger',
    (world) => withoutLedger(world, () => new Promise(() => {})),
    1,
  ],
  [
    'a ledger that could not be written',
    (world) => withoutLedger(world, async () => ({ kind: 'unknown' as const })),
    1,
  ],
])('after %s', (_, lost, before) => {
  it('reconcile publishes the event, once, with the id that it always had', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    await lost(world);
    pass(world, minutes(20));

    const report = await reconcile(world);
    await reconcile(world);

    expect(report.published).toBe(1);
    expect(sent(world)).toHaveLength(before + 1);
    expect(new Set(sent(world).map(({ id, dedupId }) => `${id} ${dedupId}`)).size).toBe(1);
    expect(watermark(world)?.['pass']).toBeUndefined();
  });
});

/** A relay whose proofs come to nothing. */
async function withoutLedger(world: AWorld, commit: AWorld['store']['commit']): Promise<void> {
  const own = world.store.commit.bind(world.store);
  const isProof = ([write]: readonly Write[]) => write?.key.pk.startsWith('relay#') === true;
  world.store.commit = (writes, epoch) => (isProof(writes) ? commit(writes) : own(writes, epoch));
  void relayHandler(world)({ Records: batch(world) }, aContext(world));
  await new Promise((resolve) => setImmediate(resolve));
  world.store.commit = own;
}
