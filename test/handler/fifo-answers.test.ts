import { describe, expect, it } from 'vitest';
import { done, fifoHandler } from '../../lib/index.ts';
import { batch, endless, idle, kept, QueueWorld } from './fifo-events.ts';

const parse = String;
const silent = () => {};

describe('a handler', () => {
  it.each([undefined, null, 'a string', 0, Object.create(null)])(
    'case fifo 8: takes a thrown %s for that record’s failure',
    async (thrown) => {
      const world = new QueueWorld();
      const handler = fifoHandler(
        {
          parse,
          async handle({ id }) {
            if (id === 'A2') return Promise.reject(thrown);
            return done();
          },
        },
        world,
      );

      const response = await handler(batch('A1', 'A2', 'B1'), endless);

      expect(kept(response)).toEqual(['A2']);
      expect(world.told).toContainEqual(
        expect.objectContaining({
          kind: 'message-failed',
          messageId: 'A2',
          failure: expect.objectContaining({ code: 'handler-threw' }),
        }),
      );
    },
  );

  it('takes a throw before the first await for that record’s failure', async () => {
    const handler = fifoHandler({
      parse,
      observe: silent,
      handle() {
        throw new Error('at once');
      },
    });

    expect(kept(await handler(batch('A1', 'A2', 'B1'), endless))).toEqual(['A1', 'A2', 'B1']);
  });

  it.each([
    { gives: undefined, shows: 'got undefined' },
    { gives: [undefined], shows: 'got an array' },
    { gives: { batchItemFailures: [] }, shows: 'got an object that none of them made' },
    { gives: { kind: 'done' }, shows: 'got an object that none of them made' },
    { gives: { ...done() }, shows: 'got an object that none of them made' },
    { gives: 'done', shows: 'got a string' },
    { gives: null, shows: 'got null' },
  ])(
    'cases fifo 18 and 19: refuses $gives in place of an answer, and makes the response itself',
    async ({ gives, shows }) => {
      const world = new QueueWorld();
      const handle = async (): Promise<never> => gives as never;

      const response = await fifoHandler({ parse, handle, poison: 'block' }, world)(
        batch('A1'),
        endless,
      );

      expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'A1' }] });
      expect(world.told).toMatchObject([
        { failure: { code: 'no-answer', message: expect.stringContaining(shows) } },
      ]);
    },
  );

  it('case fifo 18: answers in the one shape that SQS takes', async () => {
    const handler = fifoHandler({ parse, handle: async () => done() });

    expect(await handler(batch('A1'), endless)).toEqual({ batchItemFailures: [] });
  });

  it('case fifo 41: awaits what a handler promises', async () => {
    const handler = fifoHandler({
      parse,
      observe: silent,
      async handle() {
        await idle();
        throw new Error('late');
      },
    });

    expect(kept(await handler(batch('A1', 'A2'), endless))).toEqual(['A1', 'A2']);
  });

  it('lets an observer that throws, or fails later, change nothing', async () => {
    const observers = [
      () => {
        throw new Error('observer');
      },
      async () => Promise.reject(new Error('observer')),
    ];
    for (const observe of observers) {
      const handler = fifoHandler({ parse, observe, handle: async () => done() });

      expect(kept(await handler(batch('A1', 'A2', 'B1'), endless))).toEqual([]);
    }
  });
});
