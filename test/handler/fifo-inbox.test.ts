import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { done, fifoHandler, type Inbox, permanent, type Write } from '../../lib/index.ts';
import { endless, handClock, kept, QueueWorld, record } from './fifo-events.ts';

const adds = (count = 1): Write => ({
  table: 'own',
  key: { pk: 'sum', sk: 'sum' },
  when: [],
  kind: 'update',
  add: { count },
});

/** Handles one record after the other with the same world. */
async function handled(
  world: QueueWorld,
  records: readonly ReturnType<typeof record>[],
  by: { readonly writes?: readonly Write[]; readonly inbox?: Inbox<string> } = {},
) {
  const runs: string[] = [];
  const handler = fifoHandler<string>(
    {
      parse: String,
      poison: 'block',
      ...(by.inbox === undefined ? {} : { inbox: by.inbox }),
      async handle({ id }) {
        runs.push(id);
        return by.writes === undefined ? done() : done({ writes: by.writes });
      },
    },
    world,
  );
  const keeps: string[][] = [];
  for (const one of records) keeps.push(kept(await handler({ Records: [one] }, endless)));
  return { runs, keeps };
}

const sum = (world: QueueWorld) => world.store.peek('own', { pk: 'sum', sk: 'sum' })?.['count'];
const again = [record('A1'), record('A1', { receives: 2 })];

describe('done with writes', () => {
  it('happens once, however often its message comes (promise P9)', async () => {
    const world = new QueueWorld(handClock());

    const { runs, keeps } = await handled(world, again, { writes: [adds()] });

    expect(keeps).toEqual([[], []]);
    expect(runs).toEqual(['A1', 'A1']);
    expect(sum(world)).toBe(1);
    expect(world.log).toEqual(['message-done A1', 'message-repeated A1']);
  });

  it('is a failure that counts where a condition of its own does not hold, and then none of it happens', async () => {
    const world = new QueueWorld(handClock());
    const guarded: Write = { ...adds(), when: [{ kind: 'present', why: 'sum' }] };

    const { keeps } = await handled(world, [record('A1')], { writes: [guarded] });

    expect(keeps).toEqual([['A1']]);
    expect(sum(world)).toBeUndefined();
    expect(world.told).toMatchObject([
      { failure: { code: 'writes-refused', facts: { index: 0 } } },
    ]);
  });

  it('that no store takes in an outage waits as in an outage, whatever the handler would read in that', async () => {
    const world = new QueueWorld(handClock());
    const busy = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    world.store.commit = () => Promise.reject(busy);
    const handler = fifoHandler(
      {
        parse: String,
        poison: 'block',
        retry: { classify: () => permanent('mine', 'all is poison') },
        handle: async () => done({ writes: [adds()] }),
      },
      world,
    );

    expect(kept(await handler({ Records: [record('A1')] }, endless))).toEqual(['A1']);
    expect(world.told).toMatchObject([{ failure: { code: 'outage' } }]);
  });

  it('takes at most 97 writes', async () => {
    const world = new QueueWorld(handClock());
    const writes = Array.from({ length: 98 }, (_, i) => ({
      ...adds(),
      key: { pk: `sum-${i}`, sk: 'sum' },
    }));

    const { keeps } = await handled(world, [record('A1')], { writes });
    const most = await handled(world, [record('A2')], { writes: writes.slice(1) });

    expect(keeps).toEqual([['A1']]);
    expect(world.told[0]).toMatchObject({
      failure: { code: 'writes-too-many', message: expect.stringContaining('got 98') },
    });
    expect(most.keeps).toEqual([[]]);
  });

  it.each<[string, () => readonly Write[], string]>([
    ['two writes on one row', () => [adds(), adds()], 'writes-collide'],
    ['an unknown table', () => [{ ...adds(), table: 'none' }], 'table-unknown'],
    ['no list', () => 'x' as never, 'writes-invalid'],
  ])('ends as declared with what no store takes: %s', async (_, writes, code) => {
    const world = new QueueWorld(handClock());
    const handler = fifoHandler(
      { parse: String, handle: async () => done({ writes: writes() }) },
      world,
    );

    const response = await handler({ Records: [record('A1'), record('A2')] }, endless);

    expect(kept(response)).toEqual([]);
    expect(world.sent.map(({ entry: { id } }) => id)).toEqual(['dead:A1', 'dead:A2']);
    expect(world.told).toMatchObject([{ failure: { code } }, { failure: { code } }]);
    expect(sum(world)).toBeUndefined();
  });

  it('writes nothing for a message that is simply done', async () => {
    const world = new QueueWorld(handClock());

    await handled(world, [record('A1')]);

    expect(world.store.all('care')).toEqual([]);
  });
});

describe('an inbox', () => {
  it('acknowledges a repeat unrun', async () => {
    const world = new QueueWorld(handClock());

    const { runs, keeps } = await handled(world, again, {
      inbox: { consumer: 'orders', table: 'own' },
    });

    expect(keeps).toEqual([[], []]);
    expect(runs).toEqual(['A1']);
    expect(world.log).toEqual(['message-done A1', 'message-repeated A1']);
  });

  it('knows a producer’s repeat by an id of your own', async () => {
    const world = new QueueWorld(handClock());
    const inbox: Inbox<string> = {
      consumer: 'orders',
      table: 'own',
      id: ({ body }) => body,
    };
    const twice = [record('A1', { body: 'x' }), record('A2', { body: 'x' })];

    const { runs } = await handled(world, twice, { inbox });

    expect(runs).toEqual(['A1']);
  });

  it('knows a message by what its schema makes of the body', async () => {
    const world = new QueueWorld(handClock());
    const runs: string[] = [];
    const handler = fifoHandler(
      {
        schema: z.object({ order: z.string() }),
        inbox: { consumer: 'orders', table: 'own', id: ({ body }) => body.order },
        async handle({ body }) {
          runs.push(body.order);
          return done();
        },
      },
      world,
    );

    for (const [name, order] of [
      ['A1', 'x'],
      ['A2', 'y'],
      ['A3', 'x'],
    ] as const)
      await handler(
        { Records: [record(name, { body: JSON.stringify({ order, at: name }) })] },
        endless,
      );

    expect(runs).toEqual(['x', 'y']);
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['an empty text', () => ''],
    ['a number', () => 7],
    ['a text above 1 KB', () => 'x'.repeat(1_025)],
    [
      'an error',
      () => {
        throw new Error('no id');
      },
    ],
  ])('takes no message for another where the id is %s', async (_, id) => {
    const world = new QueueWorld(handClock());
    const inbox = { consumer: 'orders', table: 'own', id: id as () => string };

    const { runs, keeps } = await handled(world, [record('A1'), record('B1')], { inbox });

    expect(runs).toEqual([]);
    expect(keeps).toEqual([['A1'], ['B1']]);
    expect(world.store.all('own')).toEqual([]);
  });

  it('is the consumer’s own: another one handles the same message', async () => {
    const world = new QueueWorld(handClock());

    await handled(world, [record('A1')], { inbox: { consumer: 'a', table: 'own' } });
    const other = await handled(world, [record('A1')], { inbox: { consumer: 'b', table: 'own' } });

    expect(other.runs).toEqual(['A1']);
  });
});
