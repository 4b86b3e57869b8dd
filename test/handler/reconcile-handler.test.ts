import { describe, expect, it } from 'vitest';
import { days, hours, minutes, reconcileHandler, seconds } from '../../lib/index.ts';
import type { Verdict } from '../../lib/ports/sender.ts';
import { at } from '../job/rows.ts';
import {
  forget,
  iso,
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
import { aContext, aWorld } from './world.ts';

const ok: Verdict = { kind: 'sent' };
const refused: Verdict = { kind: 'refused', why: 'too large' };
const outage: Verdict = { kind: 'outage', why: 'throttled' };

describe('reconcile', () => {
  it('sends what nothing proves, with the ids of its first publication, and proves it (case outbox 5, 6, 7)', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    lose(world);
    pass(world, minutes(20));

    const first = await reconcile(world);
    const second = await reconcile(world);

    expect(first).toMatchObject({ checked: 1, published: 1, held: 0, left: 0 });
    expect(first.found).toEqual([
      { why: 'unproved', target: 'commands-count', found: 1, published: 1 },
    ]);
    expect(first.oldestUnproved).toBe(minutes(20));
    const [command] = sent(world);
    expect(command?.id).toMatch(/:1$/);
    expect(command?.dedupId).toMatch(/^[0-9a-f]{64}$/);
    expect(command?.replay).toBeUndefined();
    expect(second).toMatchObject({ checked: 1, published: 0, found: [] });
    expect(sent(world)).toHaveLength(1);
  });

  it('sends nothing of what the relay has proved', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    await relayed(world);
    pass(world, seconds(1));
    await work(world, 'A1');
    await relayed(world);
    pass(world, minutes(30));

    expect(await reconcile(world)).toMatchObject({ checked: 1, published: 0, found: [], idle: 0 });
    expect(sent(world)).toHaveLength(2);
  });

  it('sends the events of each job in their order, of a group round by round, and none a second time', async () => {
    const world = aWorld();
    for (const name of ['A1', 'A2', 'B1']) await submit(world, name);
    await relayed(world);
    for (const name of ['A1', 'A2', 'B1']) await work(world, name);
    lose(world);
    await forget(world);
    world.sent.length = 0;
    pass(world, minutes(30));

    const report = await reconcile(world);
    await reconcile(world);

    expect(report.found).toMatchObject([
      { why: 'unproved', target: 'commands-count', published: 3 },
      { why: 'unproved', target: 'events', published: 3 },
    ]);
    expect(new Set(sent(world).map(({ id }) => id)).size).toBe(6);
    expect(sent(world)).toHaveLength(6);
  });

  it('repeats an event with its own id where the proof got lost, once (case outbox 3)', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    const { commit } = world.store;
    world.store.commit = async (writes, epoch) =>
      writes[0]?.key.pk.startsWith('relay#')
        ? { kind: 'unknown' }
        : commit.call(world.store, writes, epoch);
    await relayed(world);
    world.store.commit = commit;
    pass(world, minutes(20));

    await reconcile(world);
    await reconcile(world);

    expect(sent(world)).toHaveLength(2);
    expect(new Set(sent(world).map(({ id, dedupId }) => `${id} ${dedupId}`)).size).toBe(1);
  });

  it('leaves to the relay what it may still be at', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    pass(world, minutes(14));
    const young = await reconcile(world);
    pass(world, minutes(16));
    const hour = 3_600_000;
    await world.store.commit([
      {
        table: 'ledger',
        key: { pk: 'heartbeat', sk: 'relay' },
        when: [],
        kind: 'put',
        fields: { at: world.clock.now(), oldestAge: 2 * hour },
      },
    ]);
    const late = await reconcile(world);
    pass(world, minutes(20));
    const silent = await reconcile(world);

    expect([young, late, silent].map(({ published }) => published)).toEqual([0, 0, 1]);
  });

  it('finds what a slow clock dated before the watermark (trace H5)', async () => {
    const world = aWorld();
    pass(world, hours(3));
    await reconcile(world);
    const reached = Number(watermark(world)?.['at']);
    const { clock } = world;
    const slow = { ...clock, now: () => (reached - 2_000) as never };
    await submit({ ...world, clock: Object.assign(Object.create(clock), slow) }, 'A1');
    lose(world);
    pass(world, minutes(30));

    expect(await reconcile(world)).toMatchObject({ published: 1 });
  });

  it('remembers how far it came, and goes back an hour from there', async () => {
    const world = aWorld();
    pass(world, hours(3));
    const first = await reconcile(world);
    pass(world, hours(1));
    const second = await reconcile(world);

    expect(first.window).toEqual({
      since: '1970-01-01T00:00:00.000Z',
      until: iso(world, minutes(75)),
    });
    expect(second.window).toEqual({
      since: iso(world, minutes(135)),
      until: iso(world, minutes(15)),
    });
    expect(watermark(world)).toMatchObject({ at: world.clock.now() - minutes(15) });
    expect(watermark(world)?.['pass']).toBeUndefined();
  });

  it('keeps the watermark before what a target did not take, and goes on with the others', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    pass(world, minutes(1));
    await submit(world, 'B1');
    lose(world);
    pass(world, minutes(30));
    const { send } = world.sender;
    world.sender.send = async (target, entries) =>
      entries
        .map(({ body }) => (JSON.parse(body).intentid === 'B1' ? outage : ok))
        .map((it, i) => {
          const entry = entries[i];
          if (it.kind === 'sent' && entry !== undefined) world.sent.push({ target, entry });
          return it;
        });

    const out = await reconcile(world);
    const reached = watermark(world)?.['at'];
    world.sender.send = send;
    pass(world, minutes(20));
    const after = await reconcile(world);

    expect(out).toMatchObject({ published: 1, held: 1, left: 0 });
    expect(reached).toBe(at(60_000));
    expect(after).toMatchObject({ published: 1, held: 0 });
    expect(names(world)).toEqual(['A1', 'B1']);
  });

  it('never sends what is older than any proof unless it is told to, and says so', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    await relayed(world);
    await work(world, 'A1');
    lose(world);
    pass(world, days(9));
    world.store.forget(world.clock.now() / 1_000);

    const first = await reconcile(world);
    const dry = await reconcile(world, { unproved: true, dryRun: true });
    const told = await reconcile(world, { unproved: true });

    expect(first).toMatchObject({ published: 0, unprovable: 2, idle: 0 });
    expect(world.happenings).toContainEqual(
      expect.objectContaining({ kind: 'backlog', unprovable: 2 }),
    );
    expect(dry).toMatchObject({ published: 0, dryRun: true });
    expect(dry.found.map(({ found }) => found)).toEqual([1, 1]);
    expect(told).toMatchObject({ published: 2, unprovable: 0 });
  });

  it('sends what was committed before the window first, where the window is a caller’s', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    await relayed(world);
    await forget(world);
    pass(world, hours(2));
    await work(world, 'A1');
    lose(world);
    world.sent.length = 0;
    pass(world, hours(1));

    const report = await reconcile(world, { since: iso(world, minutes(90)) });

    expect(report.published).toBe(2);
    expect(sent(world).map(({ id }) => id.slice(-2))).toEqual([':1', ':2']);
    expect(watermark(world)).toBeUndefined();
  });

  it('changes and sends nothing in a dry run, and says what it would send', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    lose(world);
    pass(world, minutes(20));
    const before = world.store.all('ledger');

    const report = await reconcile(world, { dryRun: true });

    expect(report).toMatchObject({ published: 0, dryRun: true, left: 0 });
    expect(report.found).toEqual([
      { why: 'unproved', target: 'commands-count', found: 1, published: 0 },
    ]);
    expect(world.sent).toEqual([]);
    expect(world.store.all('ledger')).toEqual(before);
    expect(world.kinds()).not.toContain('backlog');
  });

  it('tells how far behind it is at every run (case outbox 48)', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    lose(world);
    pass(world, hours(25));

    await reconcile(world);

    expect(world.happenings).toMatchObject([
      { kind: 'job-submitted' },
      { kind: 'events-reconciled', count: 1 },
      { kind: 'backlog', oldest: hours(25), unproved: 1, aside: 0, idle: 1, unprovable: 0 },
    ]);
  });

  it.each([
    [{ since: 'yesterday' }, '"yesterday"'],
    [{ since: '2026-12-01T13:00:00' }, '"2026-12-01T13:00:00"'],
    [{ until: 7 as never }, '7'],
    [
      { since: '2026-12-02T00:00:00Z', until: '2026-12-01T00:00:00Z' },
      '["2026-12-02T00:00:00Z","2026-12-01T00:00:00Z"]',
    ],
    [{ dryRun: 'yes' as never }, '"yes"'],
  ])('refuses %j by a sentence that shows the value', async (event, value) => {
    const world = aWorld();

    const run = reconcileHandler(world)(event, aContext(world));

    await expect(run).rejects.toMatchObject({
      code: 'window-invalid',
      message: expect.stringContaining(value),
    });
  });

  it.each([[{ segments: 9 }], [{ segments: 0 }], [{ rate: 0 }]])('refuses %j at start', (wrong) => {
    expect(() => reconcileHandler(aWorld(), wrong)).toThrow(
      expect.objectContaining({ code: 'reconcile-invalid' }),
    );
  });

  it('leaves a row that a newer release wrote, and does not pass it', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    const row = world.job('count', 'A1');
    const key = { pk: String(row['pk']), sk: 'job' };
    const schema = (value: number) =>
      world.store.commit([
        { table: 'jobs', key, when: [], kind: 'update', set: { schema: value } },
      ]);
    await schema(2);
    lose(world);
    pass(world, hours(1));
    const before = await reconcile(world);
    await schema(1);
    pass(world, hours(5));
    const after = await reconcile(world);

    expect(before).toMatchObject({ published: 0, unreadable: 1 });
    expect(after).toMatchObject({ published: 1, unreadable: 0 });
  });

  it('counts the commands whose order it may have broken', async () => {
    const world = aWorld();
    for (const name of ['A1', 'B1']) await submit(world, name);
    const key = { pk: String(world.job('count', 'A1')['pk']), sk: 'job' };
    await world.store.commit([
      { table: 'jobs', key, when: [], kind: 'update', set: { order: 'submission' } },
    ]);
    lose(world);
    pass(world, minutes(20));

    expect(await reconcile(world)).toMatchObject({ published: 2, orderBroken: 1 });
  });

  it('reads at most so many rows in a second', async () => {
    const world = aWorld();
    for (let i = 0; i < 50; i++) await submit(world, `A${i}`);
    lose(world);
    pass(world, minutes(20));
    const before = world.clock.now();

    await reconcile(world, { dryRun: true }, { rate: 10 });

    expect(world.clock.now() - before).toBe(seconds(5));
  });
});

describe('what was set aside', () => {
  async function asideWorld() {
    const world = aWorld();
    await submit(world, 'A1');
    world.verdicts.push([refused]);
    await relayed(world);
    return world;
  }
  const asides = (world: ReturnType<typeof aWorld>) =>
    world.store.all('ledger').filter(({ pk }) => String(pk).startsWith('aside#'));

  it('is tried again with its own id, and gone once it is accepted (trace H12)', async () => {
    const world = await asideWorld();
    pass(world, hours(2));

    const report = await reconcile(world);

    expect(report.found).toEqual([
      { why: 'set-aside', target: 'commands-count', found: 1, published: 1 },
    ]);
    expect(report.aside).toBe(0);
    expect(asides(world)).toEqual([]);
    expect(await reconcile(world)).toMatchObject({ published: 0 });
    expect(names(world)).toEqual(['A1']);
  });

  it('stays while its target refuses it, and grows older', async () => {
    const world = await asideWorld();
    pass(world, hours(2));
    world.verdicts.push([refused]);

    const report = await reconcile(world);

    expect(report).toMatchObject({ published: 0, aside: 1, oldestUnproved: hours(2) });
    expect(asides(world)).toMatchObject([{ at: at(0) }]);
    expect(world.happenings).toContainEqual(
      expect.objectContaining({ kind: 'backlog', oldest: hours(2), aside: 1 }),
    );
  });

  it('leaves alone what was set aside anew while it was sent', async () => {
    const world = await asideWorld();
    pass(world, hours(2));
    const [old] = asides(world);
    const key = { pk: String(old?.['pk']), sk: String(old?.['sk']) };
    const fields = { ...old, at: world.clock.now() };
    world.sender.send = async (_, entries) => {
      await world.store.commit([{ table: 'ledger', key, when: [], kind: 'put', fields }]);
      return entries.map(() => ok);
    };

    await reconcile(world);

    expect(asides(world)).toMatchObject([{ at: world.clock.now() }]);
  });

  it('blocks nothing, be it ten in one group before one good one (case outbox 39)', async () => {
    const world = aWorld();
    for (let i = 0; i < 10; i++) await submit(world, `A${i}-bad`);
    await submit(world, 'A-good');
    lose(world);
    pass(world, minutes(20));
    world.sender.send = async (target, entries) =>
      entries.map((entry) => {
        if (JSON.parse(entry.body).intentid.endsWith('bad')) return refused;
        world.sent.push({ target, entry });
        return ok;
      });

    const first = await reconcile(world);
    const second = await reconcile(world);

    expect([first.aside, second.aside]).toEqual([10, 10]);
    expect(names(world)).toEqual(['A-good']);
    expect(asides(world)).toHaveLength(10);
  });

  it('goes out as its row and its shape say it now', async () => {
    const world = aWorld();
    await submit(world, 'A1');
    await relayed(world);
    await work(world, 'A1');
    const { relayHandler } = await import('../../lib/index.ts');
    const records = world.stream.shards().flatMap((shard) => shard.records.splice(0));
    const shape = () => {
      throw new Error('a bug');
    };
    await relayHandler(world, { shape })(
      { Records: records.map(({ record }) => record) },
      aContext(world),
    );
    pass(world, hours(1));

    const still = await reconcile(world, {}, { shape });
    const mended = await reconcile(world, {}, { shape: () => ({ mended: true }) });

    expect([still.aside, mended.aside]).toEqual([1, 0]);
    expect(sent(world).at(-1)).toMatchObject({ target: 'events', data: { mended: true } });
  });

  it('keeps to itself what was never to be shown, once its row is gone', async () => {
    const world = aWorld();
    await world.store.commit([
      {
        table: 'ledger',
        key: { pk: 'aside#0', sk: 'count-0:I:2#events' },
        when: [],
        kind: 'put',
        fields: { at: at(0), group: 'A', body: '{"secret":1}', code: 'shape-failed', why: 'a bug' },
      },
      {
        table: 'ledger',
        key: { pk: 'aside#1', sk: 'count-1:I:2#events' },
        when: [],
        kind: 'put',
        fields: {
          at: at(0),
          group: 'A',
          body: '{"kept":1}',
          code: 'publish-refused',
          why: 'large',
        },
      },
    ]);

    await reconcile(world);

    expect(world.sent.map(({ entry }) => entry.body)).toEqual(['{"kept":1}']);
    expect(asides(world)).toMatchObject([{ code: 'shape-failed' }]);
  });
});

describe('a job that nobody works on', () => {
  async function forgotten() {
    const world = aWorld();
    await submit(world, 'A1');
    await relayed(world);
    return world;
  }

  it('gets its command once more after an hour, as a marked repeat that no deduplication swallows (trace H3)', async () => {
    const world = await forgotten();
    pass(world, minutes(59));
    const early = await reconcile(world);
    pass(world, minutes(1));
    const due = await reconcile(world);

    const [first, repeat, ...more] = sent(world);
    expect([early.published, due.published]).toEqual([0, 1]);
    expect(due.found).toEqual([{ why: 'idle', target: 'commands-count', found: 1, published: 1 }]);
    expect(repeat).toMatchObject({ id: first?.id, replay: true, sequence: 1 });
    expect(repeat?.dedupId).not.toBe(first?.dedupId);
    expect(more).toEqual([]);
    expect(await work(world, 'A1')).toEqual({ batchItemFailures: [] });
    expect(await work(world, 'A1')).toEqual({ batchItemFailures: [] });
    expect(world.job('count', 'A1')).toMatchObject({ status: 'succeeded', generation: 1 });
  });

  it('gets it ever more seldom while nothing changes, and soon again once something has', async () => {
    const world = await forgotten();
    const sentAt: number[] = [];
    for (let hour = 1; hour <= 60; hour++) {
      pass(world, hours(1));
      if ((await reconcile(world)).published > 0) sentAt.push(hour);
    }

    expect(sentAt).toEqual([1, 2, 4, 8, 16, 32, 56]);

    const key = { pk: String(world.job('count', 'A1')['pk']), sk: 'job' };
    const changedAt = world.clock.now();
    await world.store.commit([
      { table: 'jobs', key, when: [], kind: 'update', set: { changedAt } },
    ]);
    pass(world, hours(1));
    expect(await reconcile(world)).toMatchObject({ published: 1, idle: 1 });
    pass(world, hours(1));
    expect(await reconcile(world)).toMatchObject({ published: 1, idle: 1 });
  });

  it('is left to its owner while the lease lasts', async () => {
    const world = await forgotten();
    const key = { pk: String(world.job('count', 'A1')['pk']), sk: 'job' };
    const leaseUntil = at(hours(2));
    await world.store.commit([
      { table: 'jobs', key, when: [], kind: 'update', set: { status: 'running', leaseUntil } },
    ]);
    pass(world, minutes(119));
    const held = await reconcile(world);
    pass(world, minutes(2));
    const over = await reconcile(world);

    expect([held.idle, over.idle]).toEqual([0, 1]);
    expect([held.published, over.published]).toEqual([0, 1]);
  });

  it('is counted and left alone where its command is gone from the row', async () => {
    const world = await forgotten();
    const key = { pk: String(world.job('count', 'A1')['pk']), sk: 'job' };
    await world.store.commit([
      { table: 'jobs', key, when: [], kind: 'update', set: { events: [], firstN: 2 } },
    ]);
    pass(world, hours(2));

    expect(await reconcile(world)).toMatchObject({ published: 0, idle: 1, unreadable: 1 });
  });
});
