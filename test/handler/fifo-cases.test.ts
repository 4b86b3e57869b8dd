import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { done, fifoHandler } from '../../lib/index.ts';
import { batch, endless, idle, kept, QueueWorld, record, standardQueue } from './fifo-events.ts';

interface Body {
  readonly name: string;
}
const parse = (text: string): Body => JSON.parse(text);
const silent = () => {};

/** A plain handler that fails on what is named, and the order in which its code ran. */
function failingOn(...names: string[]) {
  const ran: string[] = [];
  const handler = fifoHandler({
    parse,
    observe: silent,
    async handle({ body: { name } }) {
      ran.push(name);
      if (names.includes(name)) throw new Error(`${name} failed`);
      return done();
    },
  });
  return { ran, handler };
}

const standard = (...names: string[]): SQSEvent => ({
  Records: names.map((name) => record(name, { queue: standardQueue })),
});

describe('a batch', () => {
  it.each<[string, { event: SQSEvent; fails: string[]; runs: string[]; keeps: string[] }]>([
    [
      'case fifo 1: keeps a failed message and all that is behind it in its group',
      {
        event: batch('A1', 'A2', 'A3', 'B1'),
        fails: ['A1'],
        runs: ['A1', 'B1'],
        keeps: ['A1', 'A2', 'A3'],
      },
    ],
    [
      'case fifo 2: runs nothing of a group behind its failed message',
      { event: batch('A1', 'A2', 'B1'), fails: ['A1'], runs: ['A1', 'B1'], keeps: ['A1', 'A2'] },
    ],
    [
      'case fifo 3: lets a failure touch no other group',
      { event: batch('A1', 'B1', 'C1'), fails: ['A1'], runs: ['A1', 'B1', 'C1'], keeps: ['A1'] },
    ],
    [
      'case fifo 5: never both runs and keeps what did not fail',
      { event: batch('A1', 'A2'), fails: ['A1'], runs: ['A1'], keeps: ['A1', 'A2'] },
    ],
    [
      'fact fifo 2.1.2: keeps order in groups that are not contiguous',
      {
        event: batch('A1', 'B1', 'A2', 'B2', 'A3'),
        fails: ['A2'],
        runs: ['A1', 'B1', 'A2', 'B2'],
        keeps: ['A2', 'A3'],
      },
    ],
    [
      'case fifo 35: of a standard queue has no groups, though its records name one',
      { event: standard('A1', 'A2', 'A3'), fails: ['A1'], runs: ['A1', 'A2', 'A3'], keeps: ['A1'] },
    ],
    [
      'case fifo 42: is ordered by the one door there is',
      { event: batch('A1', 'A2', 'A3'), fails: ['A2'], runs: ['A1', 'A2'], keeps: ['A2', 'A3'] },
    ],
    [
      'acknowledges all that was handled',
      { event: batch('A1', 'A2', 'B1'), fails: [], runs: ['A1', 'B1', 'A2'], keeps: [] },
    ],
    ['without records has nothing to keep', { event: batch(), fails: [], runs: [], keeps: [] }],
  ])('%s', async (_, { event, fails, runs, keeps }) => {
    const { handler, ran } = failingOn(...fails);

    const response = await handler(event, endless);

    expect(ran).toEqual(runs);
    expect(kept(response)).toEqual(keeps);
  });

  it('case fifo 6: starts afresh in a warm sandbox', async () => {
    let fails = true;
    const handler = fifoHandler({
      parse,
      observe: silent,
      async handle() {
        if (fails) throw new Error('once');
        return done();
      },
    });

    const first = await handler(batch('A1'), endless);
    fails = false;
    const second = await handler(batch('A1'), endless);

    expect([kept(first), kept(second)]).toEqual([['A1'], []]);
  });

  it('cases fifo 8 and 9: answers also where every record failed', async () => {
    const { handler } = failingOn('A1');

    expect(kept(await handler(batch('A1', 'A2', 'A3'), endless))).toEqual(['A1', 'A2', 'A3']);
  });

  it.each([
    ['throws where every record failed, if told to', { fails: ['A1', 'B1'], throws: true }],
    ['throws nothing where one record is done', { fails: ['A1'], throws: false }],
  ])('case fifo 9: %s', async (_, { fails, throws }) => {
    const handler = fifoHandler({
      parse,
      observe: silent,
      allFailed: 'throw',
      async handle({ id }) {
        if (fails.includes(id)) throw new Error(id);
        return done();
      },
    });

    const response = handler(batch('A1', 'A2', 'B1'), endless);

    if (throws)
      await expect(response).rejects.toMatchObject({
        code: 'all-failed',
        message: expect.stringContaining('3 records'),
      });
    else expect(kept(await response)).toEqual(['A1', 'A2']);
  });

  it('throws nothing for an empty batch', async () => {
    const handler = fifoHandler({ parse, allFailed: 'throw', handle: async () => done() });

    expect(kept(await handler(batch(), endless))).toEqual([]);
  });

  it('case fifo 16: never starts a message before the one ahead of it has ended', async () => {
    const ends: (() => void)[] = [];
    const ran: string[] = [];
    const handler = fifoHandler({
      parse,
      observe: silent,
      async handle({ id }) {
        ran.push(id);
        await new Promise<void>((_, reject) => {
          ends.push(() => reject(new Error(id)));
        });
        return done();
      },
    });

    const response = handler(batch('A1', 'A2'), endless);
    await idle();
    expect(ran).toEqual(['A1']);
    for (const end of ends) end();

    expect(kept(await response)).toEqual(['A1', 'A2']);
    expect(ran).toEqual(['A1']);
  });

  it('keeps a FIFO record without a group id, and lets it touch no other', async () => {
    const world = new QueueWorld();
    const handler = fifoHandler({ parse, handle: async () => done() }, world);
    const lost = ['X1', 'X2'].map((name) => record(name, { group: null }));
    const Records = [...lost, record('A1')];

    const response = await handler({ Records }, endless);

    expect(kept(response)).toEqual(['X1', 'X2']);
    expect(world.log).toEqual(['message-failed X1', 'message-failed X2', 'message-done A1']);
    expect(world.told[0]).toMatchObject({ failure: { code: 'group-missing' } });
  });

  it.each([
    ['of which one fails', { fails: 1 }],
    ['of which the other fails', { fails: 2 }],
  ])('keeps an id that two records share, %s', async (_, { fails }) => {
    let count = 0;
    const handler = fifoHandler({
      parse,
      observe: silent,
      async handle() {
        if (++count === fails) throw new Error('no');
        return done();
      },
    });
    const twice = ['A1', 'B1'].map((name) => record(name, { id: 'same', queue: standardQueue }));

    expect(await handler({ Records: twice }, endless)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'same' }],
    });
    expect(count).toBe(2);
  });
});
