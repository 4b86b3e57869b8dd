import { describe, expect, it } from 'vitest';
import { hours, minutes, reconcileHandler, seconds, type World } from '../../lib/index.ts';
import type { Verdict } from '../../lib/ports/sender.ts';
import type { Write } from '../../lib/ports/store.ts';
import { lose, names, pass, reconcile, relayed, sent, submit, watermark, work } from './lost.ts';
import { type AWorld, aContext, aWorld } from './world.ts';

/** Jobs of three groups: two lost commands, a lost end, one set aside, and one that nobody works on. */
async function losses(): Promise<AWorld> {
  const world = aWorld();
  await submit(world, 'D1');
  await submit(world, 'C1');
  await relayed(world);
  await work(world, 'C1');
  await submit(world, 'E1');
  world.verdicts.push([{ kind: 'sent' }, { kind: 'refused', why: 'too large' }]);
  lose(world);
  await submit(world, 'E2');
  world.verdicts.splice(0);
  world.verdicts.push([{ kind: 'refused', why: 'too large' }]);
  await relayed(world);
  for (const name of ['A1', 'A2']) await submit(world, name);
  lose(world);
  pass(world, minutes(65));
  world.sent.length = 0;
  return world;
}

/** What all of them come to. */
const whole = ['A1', 'A2', 'C1', 'D1', 'E1', 'E2'];

/** A world whose process is killed at its n-th await: what it asks then has had its effect or not, and is never answered. */
function mortal(
  world: AWorld,
  dies: number,
  after: boolean,
): World & { readonly steps: () => number } {
  let steps = 0;
  const never = new Promise<never>(() => {});
  const step = async <T>(act: () => Promise<T>): Promise<T> => {
    steps += 1;
    if (steps > dies || (steps === dies && !after)) return never;
    const answer = await act();
    return steps === dies ? never : answer;
  };
  async function* rows<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
    await step(async () => {});
    yield* all;
  }
  const { store, sender } = world;
  return {
    ...world,
    steps: () => steps,
    store: {
      knows: (table) => store.knows(table),
      read: (table, key) => step(() => store.read(table, key)),
      commit: (writes, epoch) => step(() => store.commit(writes, epoch)),
      query: (table, by) => rows(store.query(table, by)),
      scan: (table, by) => rows(store.scan(table, by)),
    },
    sender: {
      knows: () => true,
      send: (target, entries) => step<readonly Verdict[]>(() => sender.send(target, entries)),
    },
  };
}

/** One invocation that is killed; how many awaits it got to. */
async function killed(world: AWorld, dies: number, after: boolean): Promise<number> {
  const dying = mortal(world, dies, after);
  let isOver = false;
  void reconcileHandler(dying)({}, aContext(world, minutes(5))).then(() => {
    isOver = true;
  });
  // All of it is microtasks, so that one turn of the loop is enough.
  await new Promise((resolve) => setImmediate(resolve));
  return isOver ? 0 : dying.steps();
}

describe.each([false, true])(
  'reconcile, killed at each await in turn (its effect done: %s)',
  (after) => {
    it('loses nothing, goes on where it was, and repeats at most what it had not proved (case outbox 6)', async () => {
      let dies = 1;
      let mostRepeats = 0;
      for (; ; dies++) {
        const world = await losses();
        if ((await killed(world, dies, after)) === 0) break;
        pass(world, minutes(20));
        const report = await reconcile(world);

        expect(new Set(names(world)), `await ${dies}`).toEqual(new Set(whole));
        const own = sent(world).filter(({ replay }) => replay !== true);
        expect(new Set(own.map(({ id, dedupId }) => `${id} ${dedupId}`)).size).toBe(5);
        mostRepeats = Math.max(mostRepeats, sent(world).length - whole.length);
        expect(report.left, `await ${dies}`).toBe(0);
        expect(watermark(world)?.['pass'], `await ${dies}`).toBeUndefined();
      }

      expect(dies).toBeGreaterThan(80);
      expect(mostRepeats).toBeGreaterThan(0);
      expect(mostRepeats).toBeLessThanOrEqual(2);
    });
  },
);

describe('two reconciles at once', () => {
  it('share the work and send each event once (case outbox 27)', async () => {
    const world = await losses();
    for (let i = 0; i < 30; i++) await submit(world, `F${i}`);
    lose(world);
    pass(world, minutes(20));

    const reports = await Promise.all([
      reconcileHandler(world)({}, aContext(world, minutes(5))),
      reconcileHandler(world)({}, { ...aContext(world, minutes(5)), awsRequestId: 'other' }),
    ]);

    expect(new Set(sent(world).map(({ id }) => id)).size).toBe(whole.length + 30);
    expect(sent(world)).toHaveLength(whole.length + 30);
    expect(reports.reduce((sum, { published }) => sum + published, 0)).toBe(whole.length + 30);
    expect(watermark(world)?.['pass']).toBeUndefined();
  });

  it('leave a part to its holder until his lease is over, and take it over then', async () => {
    const world = await losses();
    await killed(world, 40, true);

    const during = await reconcile(world);
    pass(world, minutes(6));
    const after = await reconcile(world);

    expect(during.left).toBeGreaterThan(0);
    expect(after.left).toBe(0);
  });

  it('do not send again what the holder of a part had proved before he fell silent', async () => {
    for (let dies = 1; ; dies++) {
      const world = await losses();
      const stale = reconcileHandler(world);
      if ((await killed(world, dies, true)) === 0) break;
      const before = names(world).length;
      const proved = world.store
        .all('ledger')
        .filter(({ pk }) => String(pk).startsWith('relay#'))
        .flatMap(({ published }) => Object.values(published as Record<string, string[]>).flat());
      pass(world, minutes(6));
      await stale({}, aContext(world, minutes(5)));

      const again = sent(world)
        .slice(before)
        .filter(({ replay }) => replay !== true)
        .map(({ id }) => id);
      expect(
        again.filter((id) => proved.includes(id)),
        `await ${dies}`,
      ).toEqual([]);
    }
  });
});

/** A world whose commits on a part of the pass wait: until `open`, or for ever. */
function stopped(world: AWorld, isStopped: (write: Write) => boolean, open: Promise<void>): World {
  const { store } = world;
  return {
    ...world,
    store: {
      knows: (table) => store.knows(table),
      read: (table, key) => store.read(table, key),
      query: (table, by) => store.query(table, by),
      scan: (table, by) => store.scan(table, by),
      async commit(writes, epoch) {
        if (writes.some(isStopped)) await open;
        return store.commit(writes, epoch);
      },
    },
  };
}

describe('a reconcile that gets no reply when it takes a part', () => {
  it('has it all the same', async () => {
    const world = await losses();
    const { commit } = world.store;
    let isLost = false;
    world.store.commit = async (writes, epoch) => {
      const answer = await commit.call(world.store, writes, epoch);
      if (isLost || writes[0]?.key.sk !== 'segment#1') return answer;
      isLost = true;
      return { kind: 'unknown' };
    };

    expect(await reconcile(world)).toMatchObject({ left: 0 });
    expect(isLost).toBe(true);
    expect(new Set(names(world))).toEqual(new Set(whole));
  });
});

describe('a reconcile that takes over the part of another one that had sent some of it', () => {
  it('looks at what was proved since it began (case outbox 27)', async () => {
    const world = aWorld();
    for (let i = 0; i < 30; i++) await submit(world, `F${i}`);
    lose(world);
    pass(world, minutes(20));
    let go = (): void => {};
    const open = new Promise<void>((resolve) => {
      go = resolve;
    });
    const isKept = (segment: string) => (write: Write) =>
      write.key.sk === segment &&
      write.kind === 'update' &&
      write.set?.['leaseUntil'] !== undefined &&
      write.set['nonce'] === undefined;
    const unlimited = { awsRequestId: 'first' } as never;
    const first = reconcileHandler(stopped(world, isKept('segment#2'), open))({}, unlimited);
    await new Promise((resolve) => setImmediate(resolve));
    const before = sent(world).length;
    const never = new Promise<void>(() => {});
    const second = stopped(world, isKept('segment#3'), never);
    void reconcileHandler(second)({}, aContext(world));
    await new Promise((resolve) => setImmediate(resolve));
    const between = sent(world).length;
    pass(world, minutes(5));
    go();

    expect((await first).left).toBe(0);
    expect([before < between, between]).toEqual([true, 30]);
    expect(sent(world)).toHaveLength(30);
  });
});

describe('a reconcile whose time runs out', () => {
  it('stops, keeps what it has done, and goes on in the next invocation', async () => {
    const world = aWorld();
    for (let i = 0; i < 600; i++) await submit(world, `${String.fromCodePoint(65 + (i % 20))}${i}`);
    lose(world);
    pass(world, minutes(20));
    const { send } = world.sender;
    world.sender.send = async (target, entries) => {
      world.clock.step((world.clock.now() + 300) as never);
      return send(target, entries);
    };

    const counts: number[] = [];
    for (let left = 1; left > 0; ) {
      const report = await reconcile(world, {}, { time: minutes(0.25) });
      counts.push(report.published);
      left = report.left;
      if (counts.length > 20) break;
    }

    expect(counts.length).toBeGreaterThan(1);
    expect(counts.length).toBeLessThan(12);
    expect(new Set(names(world)).size).toBe(600);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(names(world).length);
  });

  it('reads no further once its time is short', async () => {
    const world = aWorld();
    for (let i = 0; i < 300; i++) await submit(world, `A${i}`);
    await relayed(world);
    pass(world, minutes(20));

    const report = await reconcile(world, {}, { time: seconds(15), rate: 10 });

    expect(report.checked).toBeLessThan(110);
    expect(report.left).toBeGreaterThan(0);
  });

  it('does not move the watermark before all parts are done', async () => {
    const world = await losses();
    const report = await reconcile(world, {}, { time: minutes(0.05) });

    expect(report).toMatchObject({ published: 0, left: 5 });
    expect(watermark(world)?.['at']).toBeUndefined();
    pass(world, hours(1));
    expect((await reconcile(world)).left).toBe(0);
    expect(new Set(names(world))).toEqual(new Set(whole));
  });
});
