import middy from '@middy/core';
import type { KinesisStreamEvent, MSKEvent, SelfManagedKafkaEvent } from 'aws-lambda';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  done,
  type Happening,
  lineOf,
  type Reading,
  retryLater,
  seconds,
  streamHandler,
} from '../../lib/index.ts';
import { batch, left } from './fifo-events.ts';
import {
  dynamodbEvent,
  dynamodbRecord,
  kafkaEvent,
  kafkaRecord,
  kinesisEvent,
  kinesisRecord,
} from './stream-events.ts';

const context = left(60_000);
const anything = v.unknown();
const quiet = { observe: () => {} };

/** Handles a Kinesis stream whose records of these names fail, and remembers which ran. */
function failing(...names: readonly string[]) {
  const ran: string[] = [];
  const told: Happening[] = [];
  const handler = streamHandler({
    source: 'kinesis',
    parse: String,
    observe: (happening) => void told.push(happening),
    async handle({ body }) {
      ran.push(body);
      if (names.includes(body)) throw new Error('no');
      return done();
    },
  });
  return { ran, told, handler };
}

const sequenceOf = (event: KinesisStreamEvent, i: number) =>
  event.Records[i]?.kinesis.sequenceNumber;

describe('a stream of Kinesis', () => {
  it('hands over the body, the partition key, the time and an id of each record', async () => {
    const seen: unknown[] = [];
    const handler = streamHandler({
      ...quiet,
      source: 'kinesis',
      schema: v.object({ page: v.string() }),
      async handle(message) {
        seen.push(message);
        return done();
      },
    });
    const record = kinesisRecord('A1', 1, '{"page":"ü"}');

    expect(await handler({ Records: [record] }, context)).toEqual({ batchItemFailures: [] });
    expect(seen).toEqual([
      { id: record.eventID, body: { page: 'ü' }, key: 'A', sentAt: 1_545_084_650_987, record },
    ]);
  });

  it('goes on at its first record that isn’t done, and handles the other keys beyond it', async () => {
    const { ran, handler } = failing('B1');
    const event = kinesisEvent('A1', 'B1', 'A2', 'B2', 'C1');

    const { batchItemFailures } = await handler(event, context);

    expect(batchItemFailures).toEqual([{ itemIdentifier: sequenceOf(event, 1) }]);
    expect(ran.toSorted()).toEqual(['A1', 'A2', 'B1', 'C1']);
  });

  it('tells how each record ended, without an attempt, since nothing counts them', async () => {
    const { told, handler } = failing('B1');

    await handler(kinesisEvent('A1', 'B1', 'B2'), context);

    const queue = 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks';
    const id = expect.stringMatching(/^shardId-000000000006:\d+$/);
    expect(told).toMatchObject([
      { kind: 'message-done', queue, group: 'A', messageId: id },
      { kind: 'message-failed', queue, group: 'B', failure: { code: 'handler-threw' } },
      { kind: 'message-held-back', queue, group: 'B', behind: id },
    ]);
    const line = told[1] && JSON.stringify(lineOf(told[1]));
    expect(line).toContain('"kind":"message-failed"');
    expect(line).not.toContain('attempt');
  });

  it('lets an observer that throws change nothing', async () => {
    const handler = streamHandler({
      source: 'kinesis',
      parse: String,
      observe() {
        throw new Error('the log is full');
      },
      handle: async () => done(),
    });

    expect(await handler(kinesisEvent('A1', 'B1'), context)).toEqual({ batchItemFailures: [] });
  });

  it('goes on at a record whose body can’t be read: it is skipped by nobody here', async () => {
    const ran: unknown[] = [];
    const told: Happening[] = [];
    const handler = streamHandler({
      source: 'kinesis',
      schema: v.object({ n: v.number() }),
      observe: (happening) => void told.push(happening),
      async handle({ body }) {
        ran.push(body.n);
        return done();
      },
    });
    const Records = ['{"n":1}', '{', '{"n":"2"}', '{"n":3}'].map((data, i) =>
      kinesisRecord(`${'ABCB'[i]}1`, 1_000 + i, data),
    );

    const { batchItemFailures } = await handler({ Records }, context);

    expect(batchItemFailures).toEqual([{ itemIdentifier: sequenceOf({ Records }, 1) }]);
    expect(ran).toEqual([1]);
    expect(told.flatMap((it) => ('failure' in it ? [it.failure.code] : []))).toEqual([
      'body-not-json',
      'body-invalid',
    ]);
  });

  it('reports a batch of which every record failed, or throws, as it was told', async () => {
    const event = kinesisEvent('A1', 'B1');
    const settings = {
      ...quiet,
      source: 'kinesis' as const,
      parse: String,
      handle: async () => {
        throw new Error('no');
      },
    };

    expect(await streamHandler(settings)(event, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: sequenceOf(event, 0) }],
    });
    await expect(
      streamHandler({ ...settings, allFailed: 'throw' })(event, context),
    ).rejects.toMatchObject({ code: 'all-failed' });
  });

  it.each([
    ['nothing', undefined],
    ['what is put off', retryLater({ after: seconds(1) })],
    ['writes', done({ writes: [] })],
  ])('takes no answer but done(), not %s', async (_, answer) => {
    const handler = streamHandler({
      ...quiet,
      source: 'kinesis',
      parse: String,
      handle: async () => answer as never,
    });
    const event = kinesisEvent('A1');

    expect(await handler(event, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: sequenceOf(event, 0) }],
    });
  });
});

describe('a table’s stream', () => {
  /** The keys and bodies that a handler sees. */
  async function seen(...records: ReturnType<typeof dynamodbRecord>[]) {
    const all: unknown[] = [];
    const handler = streamHandler({
      ...quiet,
      source: 'dynamodb',
      schema: anything,
      async handle({ id, key, body, sentAt }) {
        all.push({ id, key, body, sentAt });
        return done();
      },
    });
    expect(await handler({ Records: records }, context)).toEqual({ batchItemFailures: [] });
    return all;
  }

  it('hands over the row before and after as plain values, with the JSON of its keys', async () => {
    expect(await seen(dynamodbRecord('A1', 1))).toEqual([
      {
        id: 'c81e728d9d4c2f636f067f89cc14862c-1',
        key: '{"pk":{"S":"A"},"sk":{"N":"101"}}',
        body: {
          old: { pk: 'A', sk: 101, name: 'before' },
          new: { pk: 'A', sk: 101, name: 'A1' },
        },
        sentAt: 1_479_499_740_000,
      },
    ]);
  });

  it('leaves out what the stream doesn’t show, and loses no digit of a number', async () => {
    const { OldImage: _, ...inserted } = dynamodbRecord('A1', 1).dynamodb ?? {};
    const { NewImage: __, ...removed } = dynamodbRecord('B1', 2).dynamodb ?? {};
    const large = { n: { N: '90071992547409931' } };

    expect(
      await seen(
        { ...dynamodbRecord('A1', 1), dynamodb: { ...inserted, NewImage: large } },
        { ...dynamodbRecord('B1', 2), dynamodb: removed },
      ),
    ).toMatchObject([
      { body: { new: { n: 90_071_992_547_409_931n } } },
      { body: { old: { pk: 'B' } } },
    ]);
  });

  it('goes on at its first record that isn’t done', async () => {
    const event = dynamodbEvent('A1', 'A2', 'B1', 'B2');
    const handler = streamHandler({
      ...quiet,
      source: 'dynamodb',
      schema: v.object({ new: v.object({ name: v.picklist(['A1', 'B1']) }) }),
      handle: async () => done(),
    });

    expect(await handler(event, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[1]?.dynamodb?.SequenceNumber }],
    });
  });
});

describe('a topic of Kafka', () => {
  /** Handles a topic whose records of these bodies fail, and remembers what it saw. */
  function topic(reading: Reading<unknown>, ...names: readonly unknown[]) {
    const seen: { id: string; key: string | undefined; body: unknown }[] = [];
    const handler = streamHandler({
      ...quiet,
      ...reading,
      source: 'kafka',
      async handle({ id, key, body }) {
        seen.push({ id, key, body });
        if (names.includes(body)) throw new Error('no');
        return done();
      },
    });
    return { seen, handler };
  }

  const text: Reading<unknown> = { parse: String };

  it('goes on in each partition at the first record that isn’t done, by topic, partition and offset', async () => {
    const { seen, handler } = topic(text, 'a2', 'b1');
    const event = kafkaEvent(
      kafkaRecord(['orders', 0, 15], { key: 'k', value: 'a1' }),
      kafkaRecord(['orders', 0, 18], { key: 'k', value: 'a2' }),
      kafkaRecord(['orders', 0, 19], { key: 'l', value: 'a3' }),
      kafkaRecord(['orders', 1, 15], { key: 'm', value: 'b1' }),
      kafkaRecord(['my-orders-1', 0, 15], { key: 'k', value: 'c1' }),
    );

    expect(await handler(event, context)).toEqual({
      batchItemFailures: [
        { itemIdentifier: { partition: 'orders-0', offset: 18 } },
        { itemIdentifier: { partition: 'orders-1', offset: 15 } },
      ],
    });
    expect(seen.map(({ id, key, body }) => [id, key, body]).toSorted()).toEqual([
      ['my-orders-1-0:15', 'k', 'c1'],
      ['orders-0:15', 'k', 'a1'],
      ['orders-0:18', 'k', 'a2'],
      ['orders-0:19', 'l', 'a3'],
      ['orders-1:15', 'm', 'b1'],
    ]);
  });

  it('runs records without a key one after another, beside those of the empty key and of another partition', async () => {
    const { seen, handler } = topic(text, 'none1');
    const event = kafkaEvent(
      kafkaRecord(['t', 0, 1], { key: null, value: 'none1' }),
      kafkaRecord(['t', 0, 2], { key: null, value: 'none2' }),
      kafkaRecord(['t', 0, 3], { key: '', value: 'empty' }),
      kafkaRecord(['t', 0, 4], { key: 'null', value: 'word' }),
      kafkaRecord(['t', 1, 1], { key: null, value: 'other' }),
    );

    await handler(event, context);

    expect(seen.map(({ body, key }) => [body, key]).toSorted()).toEqual([
      ['empty', ''],
      ['none1', undefined],
      ['other', undefined],
      ['word', 'null'],
    ]);
  });

  it('tells binary keys apart that are the same as text', async () => {
    const { seen, handler } = topic(text, 'a');
    const binary = (offset: number, bytes: number[], value: string) => ({
      ...kafkaRecord(['t', 0, offset], { key: '', value }),
      key: Buffer.from(bytes).toString('base64'),
    });

    await handler(kafkaEvent(binary(1, [0xff], 'a'), binary(2, [0xfe], 'b')), context);

    expect(seen.map(({ body }) => body).toSorted()).toEqual(['a', 'b']);
  });

  it('shows a deletion as null to a schema, and as no text to a parser', async () => {
    const event = kafkaEvent(kafkaRecord(['t', 0, 1], { key: 'k', value: null }));
    const bySchema = topic({ schema: anything });
    const byParser = topic(text);

    await bySchema.handler(event, context);
    await byParser.handler(event, context);

    expect(bySchema.seen[0]?.body).toBe(null);
    expect(byParser.seen[0]?.body).toBe('');
  });

  it('may be self-managed', async () => {
    const { eventSourceArn: _, ...msk } = kafkaEvent(
      kafkaRecord(['t', 0, 7], { key: 'k', value: 'x' }),
    );
    const { handler } = topic(text, 'x');
    const event: SelfManagedKafkaEvent = { ...msk, eventSource: 'SelfManagedKafka' };

    expect((await handler(event, context)).batchItemFailures).toEqual([
      { itemIdentifier: { partition: 't-0', offset: 7 } },
    ]);
  });
});

const settings = {
  kinesis: { ...quiet, source: 'kinesis', parse: String, handle: async () => done() },
  dynamodb: { ...quiet, source: 'dynamodb', schema: anything, handle: async () => done() },
  kafka: { ...quiet, source: 'kafka', parse: String, handle: async () => done() },
} as const;
const handlerOf = (source: keyof typeof settings) =>
  streamHandler(settings[source] as never) as (event: unknown, of: typeof context) => unknown;

const kinesisWith = (over: object) => {
  const record = kinesisRecord('A1', 1);
  return { Records: [{ ...record, kinesis: { ...record.kinesis, ...over } }] };
};
const dynamodbWith = (over: object) => {
  const record = dynamodbRecord('A1', 1);
  return { Records: [{ ...record, dynamodb: { ...record.dynamodb, ...over } }] };
};
const kafkaWith = (over: object): MSKEvent =>
  kafkaEvent({ ...kafkaRecord(['t', 0, 1], { key: 'k', value: 'v' }), ...over });

describe('an event that can’t be answered truthfully', () => {
  it.each([
    ['kinesis', 'nothing', undefined],
    ['kinesis', 'no Records', {}],
    ['kinesis', 'a queue’s batch', batch('A1')],
    ['kinesis', 'a table’s batch', dynamodbEvent('A1')],
    ['kinesis', 'Kafka’s batch', kafkaWith({})],
    ['kinesis', 'a record without a number', kinesisWith({ sequenceNumber: undefined })],
    ['kinesis', 'a record with an empty number', kinesisWith({ sequenceNumber: '' })],
    ['kinesis', 'a record without a partition key', kinesisWith({ partitionKey: undefined })],
    ['dynamodb', 'nothing', undefined],
    ['dynamodb', 'no Records', { Records: 'none' }],
    ['dynamodb', 'Kinesis’ batch', kinesisEvent('A1')],
    ['dynamodb', 'a record without a number', dynamodbWith({ SequenceNumber: undefined })],
    ['dynamodb', 'a record with an empty number', dynamodbWith({ SequenceNumber: '' })],
    ['dynamodb', 'a record without keys', dynamodbWith({ Keys: undefined })],
    ['kafka', 'nothing', undefined],
    ['kafka', 'a queue’s batch', batch('A1')],
    ['kafka', 'records that name no partition', { records: [] }],
    ['kafka', 'a partition without a list', { records: { 't-0': {} } }],
    ['kafka', 'a record without an offset', kafkaWith({ offset: undefined })],
    ['kafka', 'a record with half an offset', kafkaWith({ offset: 1.5 })],
    ['kafka', 'a record with an offset below zero', kafkaWith({ offset: -1 })],
  ] as const)('is refused as a whole: %s with %s', async (source, _, event) => {
    await expect(handlerOf(source)(event, context)).rejects.toMatchObject({
      code: 'event-invalid',
      message: expect.stringContaining('is another source mapped to this function?'),
    });
  });
});

describe('settings of a stream', () => {
  it.each([
    [
      'an unknown source',
      { ...settings.kinesis, source: 'sns' },
      'source is one of kinesis, dynamodb, kafka, got "sns"',
    ],
    [
      'a source that every object has',
      { ...settings.kinesis, source: 'toString' },
      'got "toString"',
    ],
    ['no source', { ...settings.kinesis, source: undefined }, 'got undefined'],
    [
      'a parser of rows',
      { ...settings.dynamodb, schema: undefined, parse: String },
      'read by schema',
    ],
    ['wrapped rows', { ...settings.dynamodb, unwrap: 'sns' }, 'read by schema'],
    [
      'neither schema nor parser',
      { ...settings.kafka, parse: undefined },
      'exactly one of schema and parse',
    ],
    ['no handler', { ...settings.kafka, handle: undefined }, 'handle is a function'],
    ['no lanes', { ...settings.kafka, concurrency: 0 }, 'got 0'],
  ])('are refused at start: %s', (_, wrong, shows) => {
    expect(() => streamHandler(wrong as never)).toThrowError(
      expect.objectContaining({ code: 'setting-invalid', message: expect.stringContaining(shows) }),
    );
  });
});

describe('a stream’s handler in middy', () => {
  it('runs its batch, and shows user code what middleware added to the context', async () => {
    const seen: unknown[] = [];
    const inner = streamHandler({
      ...quiet,
      source: 'kinesis',
      parse: String,
      async handle(_, { context: own, remaining, signal }) {
        seen.push(Reflect.get(own, 'tenant'), remaining() > 0, signal.aborted);
        return done();
      },
    });
    const handler = middy(inner).before(({ context: own }) => {
      Reflect.set(own, 'tenant', 'shop');
    });

    expect(await handler(kinesisEvent('A1'), left(60_000))).toEqual({ batchItemFailures: [] });
    expect(seen).toEqual(['shop', true, false]);
  });

  it('hands what can’t be answered to its error middleware', async () => {
    const codes: unknown[] = [];
    const handler = middy(streamHandler(settings.kafka)).onError(({ error }) => {
      codes.push(error && Reflect.get(error, 'code'));
    });

    await expect(handler({} as never, left(60_000))).rejects.toThrowError('records by topic');

    expect(codes).toEqual(['event-invalid']);
  });
});
