import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { done, fifoHandler, type Reading } from '../../lib/index.ts';
import { endless, kept, QueueWorld, record } from './fifo-events.ts';

/** Reads one good record beside one with this text, and answers what became of the latter. */
async function read<Body>(reading: Reading<Body>, text: string) {
  const world = new QueueWorld();
  const bodies: Body[] = [];
  const handler = fifoHandler<Body>(
    {
      ...reading,
      poison: 'block',
      async handle({ body }) {
        bodies.push(body);
        return done();
      },
    },
    world,
  );
  const response = await handler({ Records: [record('A1', { body: text })] }, endless);
  const [told] = world.told;
  const failure = told !== undefined && 'failure' in told ? told.failure : undefined;
  return { bodies, kept: kept(response), failure };
}

const total = z.object({ total: z.coerce.number() });
const text = '{"total":"1"}';

describe('a body', () => {
  it.each<[string, { reading: Reading<unknown>; body: unknown }]>([
    ['zod', { reading: { schema: total }, body: { total: 1 } }],
    ['valibot', { reading: { schema: v.object({ total: v.string() }) }, body: { total: '1' } }],
    [
      'arktype',
      { reading: { schema: type({ total: 'string.numeric.parse' }) }, body: { total: 1 } },
    ],
    ['a parser', { reading: { parse: (given) => given.length }, body: 13 }],
    ['a parser that waits', { reading: { parse: async (given) => given }, body: text }],
  ])('is read by %s', async (_, { reading, body }) => {
    const { bodies, kept } = await read(reading, text);

    expect(bodies).toEqual([body]);
    expect(kept).toEqual([]);
  });

  it.each<[string, { unwrap: 'sns' | 'event-bridge'; body: unknown }]>([
    [
      'an SNS notification',
      { unwrap: 'sns', body: { Type: 'Notification', TopicArn: 'arn', Message: text } },
    ],
    [
      'an EventBridge event',
      {
        unwrap: 'event-bridge',
        body: { source: 'shop', 'detail-type': 'order', detail: { total: 1 } },
      },
    ],
  ])('is taken out of %s', async (_, { unwrap, body }) => {
    const { bodies } = await read({ schema: total, unwrap }, JSON.stringify(body));

    expect(bodies).toEqual([{ total: 1 }]);
  });

  it.each<[string, { reading: Reading<unknown>; given: string; code: string; shows: string }]>([
    [
      'is not JSON',
      {
        reading: { schema: total },
        given: 'secret {',
        code: 'body-not-json',
        shows: 'got 8 characters',
      },
    ],
    [
      'is empty',
      { reading: { schema: total }, given: '', code: 'body-not-json', shows: 'got 0 characters' },
    ],
    [
      'is not what the schema asks for',
      {
        reading: { schema: v.object({ list: v.array(v.object({ total: v.number() })) }) },
        given: '{"list":[{"total":"secret"}]}',
        code: 'body-invalid',
        shows: 'list.0.total',
      },
    ],
    [
      'is no SNS notification',
      {
        reading: { schema: total, unwrap: 'sns' },
        given: '{"secret":1}',
        code: 'body-not-wrapped',
        shows: 'a field "Message"',
      },
    ],
    [
      'is no object at all',
      {
        reading: { schema: total, unwrap: 'sns' },
        given: 'null',
        code: 'body-not-wrapped',
        shows: 'a field "Message"',
      },
    ],
    [
      'wraps what is not JSON',
      {
        reading: { schema: total, unwrap: 'sns' },
        given: '{"Message":"secret"}',
        code: 'body-not-json',
        shows: 'got 6 characters',
      },
    ],
    [
      'is no EventBridge event',
      {
        reading: { schema: total, unwrap: 'event-bridge' },
        given: '{"secret":1}',
        code: 'body-not-wrapped',
        shows: 'a field "detail"',
      },
    ],
    [
      'is refused by the parser',
      {
        reading: {
          parse: () => {
            throw new RangeError('no such line');
          },
        },
        given: 'secret',
        code: 'body-unreadable',
        shows: 'no such line',
      },
    ],
  ])(
    'that %s is its record’s permanent failure and never runs',
    async (_, { reading, given, code, shows }) => {
      const { bodies, kept, failure } = await read(reading, given);

      expect(kept).toEqual(['A1']);
      expect(bodies).toEqual([]);
      expect(failure).toMatchObject({ code, remedy: 'dead-letter' });
      expect(failure?.message).toContain(shows);
    },
  );

  it.each([
    ['not JSON', { given: 'secret {' }],
    ['not wrapped', { given: '{"secret":1}' }],
  ])('is not shown where it is %s', async (_, { given }) => {
    const { failure } = await read({ schema: total, unwrap: 'sns' }, given);

    expect(failure?.message).not.toContain('secret');
    expect(JSON.stringify(failure?.facts)).not.toContain('secret');
  });

  it('that can’t be read holds back its own group alone', async () => {
    const handler = fifoHandler({
      schema: z.object({ name: z.string() }),
      observe: () => {},
      handle: async () => done(),
    });
    const Records = [record('A1', { body: '{' }), record('A2'), record('B1')];

    expect(kept(await handler({ Records }, endless))).toEqual(['A1', 'A2']);
  });
});
