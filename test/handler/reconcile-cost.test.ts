import { describe, expect, it } from 'vitest';
import { days, hours, minutes, seconds } from '../../lib/index.ts';
import { timeKey } from '../../lib/kernel/time-key.ts';
import { at } from '../job/rows.ts';
import {
  forget,
  lose,
  names,
  pass,
  reconcile,
  relayed,
  sent,
  submit,
  watermark,
  work,
} from './lost.ts';
import { type AWorld, aWorld } from './world.ts';

/** So many published jobs, as rows of the size that a job with a result has, and their proofs. */
async function published(world: AWorld, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const id = `count-${i.toString(16).padStart(32, '0')}`;
    const incarnation = '01JZ0000000000000000000000';
    const time = at(i);
    const event = (n: number, channel: string) => ({
      ...{ n, channel, sequence: 1, id: `${id}:${incarnation}:${n}`, type: 'count.x', version: n },
      ...{ generation: 1, at: time, data: { text: 'x'.repeat(300) } },
    });
    await world.store.commit([
      {
        table: 'jobs',
        key: { pk: `job#${id}`, sk: 'job' },
        when: [],
        kind: 'put',
        fields: {
          ...{ schema: 1, id, kind: 'count', incarnation, status: 'succeeded', generation: 1 },
          ...{ version: 3, groupId: 'A', intentId: String(i), lastN: 2, changedAt: time },
          events: [event(1, 'commands'), event(2, 'events')],
          ...timeKey(id, { at: time, n: 2, channel: 'events', incarnation }),
        },
      },
    ]);
    if (i % 50 !== 0) continue;
    const ids = (n: number) =>
      Array.from({ length: 50 }, (_, j) => {
        const hex = (i + j).toString(16).padStart(32, '0');
        return `count-${hex}:${incarnation}:${n}`;
      });
    await world.store.commit([
      {
        table: 'ledger',
        key: { pk: `relay#${Math.floor(time / 60_000)}`, sk: `r${i}#0` },
        when: [],
        kind: 'put',
        fields: { published: { 'commands-count': ids(1), events: ids(2) } },
      },
    ]);
  }
}

const indexed = { timeIndex: true, rate: 1_000_000 } as const;

/** A world that has seen a full pass three hours before its jobs are published. */
async function settled(): Promise<AWorld> {
  const world = aWorld();
  await reconcile(world, {}, indexed);
  return world;
}

describe('the cost of a pass over ten thousand published jobs and nothing to do (case outbox 50)', () => {
  it('is no row of a job with the time index, and every one without', async () => {
    const world = await settled();
    await published(world, 10_000);
    pass(world, minutes(45));

    const withIndex = await reconcile(world, {}, indexed);
    const without = await reconcile(world, { dryRun: true }, { rate: 1_000_000 });

    const proofs = 200;
    expect(withIndex).toMatchObject({ checked: 10_000, published: 0, left: 0 });
    expect(without).toMatchObject({ checked: 10_000, published: 0 });
    // Entries and proofs, and the ledger's few rows: heartbeat, watermark, parts.
    expect(withIndex.cost.rows - 10_000 - proofs).toBeLessThan(10);
    // 3 hours of 8 shards, the minutes since an hour before the window, the parts.
    expect(withIndex.cost.requests).toBeLessThan(250);
    process.stdout.write(
      `reconcile of 10,000 published jobs: ${JSON.stringify({ index: withIndex.cost, scan: without.cost })}\n`,
    );
    expect(without.cost.units - withIndex.cost.units).toBeGreaterThan(1_500);
  });
});

describe('reconcile with the time index', () => {
  it('finds what was lost, and reads no other row', async () => {
    const world = await settled();
    for (const name of ['A1', 'B1', 'C1']) await submit(world, name);
    await relayed(world);
    pass(world, seconds(1));
    await work(world, 'A1');
    await relayed(world);
    pass(world, seconds(1));
    await work(world, 'B1');
    lose(world);
    pass(world, minutes(30));
    const read = world.store.read.bind(world.store);
    const rows: string[] = [];
    world.store.read = (table, key) => {
      if (table === 'jobs') rows.push(key.pk);
      return read(table, key);
    };

    const report = await reconcile(world, {}, indexed);

    expect(report).toMatchObject({ checked: 3, published: 1 });
    expect(rows).toEqual([world.job('count', 'B1')['pk']]);
  });

  it('finds an early event of a job whose last one is proved, or came after the window', async () => {
    const world = await settled();
    for (const name of ['A1', 'B1']) await submit(world, name);
    await relayed(world);
    await forget(world);
    pass(world, seconds(1));
    await work(world, 'A1');
    await relayed(world);
    // Into the next hour, so that the row stands behind the window's last one.
    pass(world, minutes(50));
    await work(world, 'B1');
    lose(world);
    world.sent.length = 0;
    pass(world, minutes(10));
    await world.store.commit([
      {
        table: 'ledger',
        key: { pk: 'reconcile', sk: 'watermark' },
        when: [],
        kind: 'put',
        fields: { at: at(0), fullAt: at(0) },
      },
    ]);

    await reconcile(world, {}, indexed);

    expect(names(world).toSorted()).toEqual(['A1', 'B1']);
    expect(sent(world).every(({ id }) => id.endsWith(':1'))).toBe(true);
  });

  it('finds a job that nobody works on while its command lies in the window, and any at the daily full pass', async () => {
    const world = await settled();
    await submit(world, 'A1');
    await relayed(world);
    pass(world, minutes(70));
    const near = await reconcile(world, {}, indexed);
    pass(world, hours(5));
    const far = [await reconcile(world, {}, indexed)];
    pass(world, minutes(5));
    far.push(await reconcile(world, {}, indexed));
    pass(world, hours(18));
    const full = await reconcile(world, {}, indexed);

    expect(near).toMatchObject({ idle: 1, published: 1 });
    expect(far.map(({ checked }) => checked)).toEqual([1, 0]);
    expect(full).toMatchObject({ checked: 1, idle: 1, published: 1 });
    expect(full.window.since).toBe(near.window.since);
  });

  it('reads every row once a day, from where it did so last, so that what the index showed late is met', async () => {
    const world = await settled();
    const fullAt = Number(watermark(world)?.['fullAt']);
    await submit(world, 'A1');
    lose(world);
    const key = { pk: String(world.job('count', 'A1')['pk']), sk: 'job' };
    await world.store.commit([
      { table: 'jobs', key, when: [], kind: 'update', remove: ['eventHour', 'eventAt'] },
    ]);
    const found: number[] = [];
    for (let hour = 0; hour < 25; hour++) {
      pass(world, hours(1));
      found.push((await reconcile(world, {}, indexed)).published);
    }

    expect(found.filter((count) => count > 0)).toEqual([1]);
    expect(found.indexOf(1)).toBeGreaterThan(20);
    expect(Number(watermark(world)?.['fullAt']) - fullAt).toBeGreaterThan(days(0.9));
  });

  it('goes on in the middle of an hour after its time ran out', async () => {
    const world = await settled();
    for (let i = 0; i < 600; i++) await submit(world, `${String.fromCodePoint(65 + (i % 20))}${i}`);
    lose(world);
    pass(world, minutes(20));
    const { send } = world.sender;
    world.sender.send = async (target, entries) => {
      world.clock.step((world.clock.now() + 300) as never);
      return send(target, entries);
    };

    let runs = 0;
    for (let left = 1; left > 0 && runs < 20; runs++)
      left = (await reconcile(world, {}, { ...indexed, time: minutes(0.25) })).left;

    expect(runs).toBeGreaterThan(1);
    expect(names(world)).toHaveLength(600);
    expect(new Set(names(world)).size).toBe(600);
  });
});
