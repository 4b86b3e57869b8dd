import { describe, expect, it } from 'vitest';
import {
  done,
  fifoHandler,
  type MessageAnswer,
  type Poison,
  permanent,
  type World,
} from '../../lib/index.ts';
import type { Verdict } from '../../lib/ports/sender.ts';
import { failuresKey } from '../../lib/retry/failure-count.ts';
import {
  batch,
  endless,
  handClock,
  kept,
  longest,
  QueueWorld,
  record,
  standardQueue,
} from './fifo-events.ts';

const throwing = (thrown: unknown) => async (): Promise<MessageAnswer> => {
  throw thrown;
};
const bad = permanent('bad', 'it is bad');
const busy = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });

/** Handles a batch with a handler in which `A1` throws. */
async function handled(
  thrown: unknown,
  by: {
    readonly world?: World;
    readonly poison?: Poison;
    readonly Records?: ReturnType<typeof record>[];
  } = {},
) {
  const { world = new QueueWorld(handClock(), { random: longest }), poison, Records } = by;
  const runs: string[] = [];
  const handler = fifoHandler(
    {
      parse: String,
      ...(poison === undefined ? {} : { poison }),
      retry: { maxAttempts: 2 },
      async handle({ id, attempt }) {
        runs.push(`${id} ${attempt}`);
        return id === 'A1' ? throwing(thrown)() : done();
      },
    },
    world,
  );
  const event = Records === undefined ? batch('A1', 'A2', 'B1') : { Records };
  return { runs, kept: kept(await handler(event, endless)) };
}

const count = (world: QueueWorld, id = 'A1') =>
  world.store.peek('care', failuresKey('orders.fifo', id))?.['count'];

describe('a message that no retry can help', () => {
  it('case fifo 26: goes to the dead letters at once, and its group goes on', async () => {
    const world = new QueueWorld(handClock());

    const { runs, kept } = await handled(bad, { world });

    expect(kept).toEqual([]);
    expect(runs.toSorted()).toEqual(['A1 1', 'A2 1', 'B1 1']);
    expect(world.sent).toMatchObject([
      { target: 'dead-letters', entry: { id: 'dead:A1', group: 'A', body: '{"name":"A1"}' } },
    ]);
    expect(world.log).toContain('message-dead-lettered A1');
    expect(count(world)).toBeUndefined();
  });

  it.each<[string, Verdict]>([
    ['an outage', { kind: 'outage', why: 'no reply' }],
    ['a refusal', { kind: 'refused', why: 'not allowed' }],
  ])('stays where its dead letter meets %s', async (_, verdict) => {
    const base = new QueueWorld(handClock(), { random: longest });
    const world = withSender(base, async () => [verdict]);

    const { kept } = await handled(bad, { world });

    expect(kept).toEqual(['A1', 'A2']);
    expect(base.told).toContainEqual(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'dead-letter-unsent' }) }),
    );
    expect(base.visibility.lengths['A1']).toBe(60_000);
  });

  it('of a standard queue goes alone', async () => {
    const world = new QueueWorld(handClock());
    const Records = ['A1', 'A2'].map((name) => record(name, { queue: standardQueue }));

    const { kept } = await handled(bad, { world, Records });

    expect(kept).toEqual([]);
    expect(world.sent).toMatchObject([{ entry: { group: 'A1' } }]);
  });
});

describe('a message that fails', () => {
  it('is counted, tried again, and ends as declared once its attempts are spent', async () => {
    const world = new QueueWorld(handClock());
    const first = await handled(new Error('no'), { world });
    const Records = [record('A1', { receives: 7 }), record('A2', { receives: 4 })];
    const second = await handled(new Error('no'), { world, Records });

    expect(first.kept).toEqual(['A1', 'A2']);
    expect(second.kept).toEqual([]);
    expect(second.runs).toEqual(['A1 2', 'A2 1']);
    expect(count(world)).toBe(2);
    expect(count(world, 'A2')).toBeUndefined();
  });

  it('is not counted in an outage, however often it is received', async () => {
    const world = new QueueWorld(handClock());
    for (let receives = 1; receives < 20; receives++)
      await handled(busy, { world, Records: [record('A1', { receives })] });

    expect(count(world)).toBeUndefined();
    expect(world.sent).toEqual([]);
  });

  it('is not counted where the count can’t be written', async () => {
    const base = new QueueWorld(handClock());
    const world = withStore(base, { commit: () => Promise.reject(busy) });

    for (let receives = 1; receives < 9; receives++)
      await handled(new Error('no'), { world, Records: [record('A1', { receives })] });

    expect(base.sent).toEqual([]);
    expect(count(base)).toBeUndefined();
  });

  it('is counted once though the reply to its count gets lost', async () => {
    const base = new QueueWorld(handClock());
    let lost = true;
    const world = withStore(base, {
      async commit(writes) {
        const commit = await base.store.commit(writes);
        const isLost = lost;
        lost = false;
        return isLost ? { kind: 'unknown' } : commit;
      },
    });
    Object.assign(world, { clock: { ...clockOf(base), sleep: async () => {} } });

    await handled(new Error('no'), { world, Records: [record('A1')] });

    expect(count(base)).toBe(1);
    expect(base.sent).toEqual([]);
  });

  it('is counted by its receives where the world has no tables', async () => {
    const base = new QueueWorld(handClock());
    const world = {
      ...parts(base),
      get store(): never {
        throw permanent('setting-missing', 'no tables are named');
      },
    } as unknown as World;

    const once = await handled(new Error('no'), { world, Records: [record('A1')] });
    const twice = await handled(new Error('no'), {
      world,
      Records: [record('A1', { receives: 2 })],
    });

    expect(once.kept).toEqual(['A1']);
    expect(twice.kept).toEqual([]);
  });
});

describe('a door', () => {
  it.each<[string, () => unknown, string]>([
    [
      'another policy',
      () => handler({ poison: 'drop' as Poison }),
      `poison is 'dead-letter', 'park' or 'block', got "drop"`,
    ],
    [
      'dead letters without a target',
      () => handler({}, { sender: { knows: () => false, send: async () => [] } }),
      'dead letters need a target "dead-letters"',
    ],
    [
      'an inbox in a table that isn’t there',
      () => handler({ inbox: { consumer: 'c', table: 'none' } }),
      'inbox needs a table "none"',
    ],
    ['an inbox of nobody', () => handler({ inbox: { consumer: '', table: 'own' } }), 'got ""'],
    ['an inbox of a#b', () => handler({ inbox: { consumer: 'a#b', table: 'own' } }), 'got "a#b"'],
  ])('is not made with %s', (_, make, sentence) => {
    expect(make).toThrowError(
      expect.objectContaining({ message: expect.stringContaining(sentence) }),
    );
  });

  it('that parks fails each message of a standard queue, with the reason', async () => {
    const world = new QueueWorld(handClock());
    const Records = [record('A1', { queue: standardQueue })];

    const { kept, runs } = await handled(bad, { world, poison: 'park', Records });

    expect(kept).toEqual(['A1']);
    expect(runs).toEqual([]);
    expect(world.told).toMatchObject([{ failure: { code: 'park-needs-fifo' } }]);
  });
});

const handler = (care: object, over: Partial<World> = {}) =>
  fifoHandler({ parse: String, handle: async () => done(), ...care }, {
    ...parts(new QueueWorld(handClock())),
    ...over,
  } as World);

/** The parts of a world, so that a test can replace one. */
const parts = ({ store, sender, visibility, clock, random, observe }: QueueWorld) => ({
  ...{ store, sender, visibility, clock, random, observe },
});
const clockOf = ({ clock }: QueueWorld) => ({
  now: () => clock.now(),
  alarm: clock.alarm.bind(clock),
});
const withSender = (world: QueueWorld, send: World['sender']['send']): World =>
  ({
    ...parts(world),
    sender: { knows: () => true, send },
  }) as unknown as World;
const withStore = (world: QueueWorld, over: Partial<World['store']>): World => {
  const { store } = world;
  const replaced: World['store'] = {
    knows: (table) => store.knows(table),
    read: (table, key) => store.read(table, key),
    query: (table, by) => store.query(table, by),
    scan: (table, by) => store.scan(table, by),
    commit: (writes) => store.commit(writes),
    ...over,
  };
  return { ...parts(world), store: replaced } as unknown as World;
};
