import { describe, expect, it } from 'vitest';
import { days, hours, milliseconds } from '../../lib/kernel/time.ts';
import { ChangeStream } from '../../lib/local/change-stream.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { streamContract } from '../contract/stream.contract.ts';
import { at } from '../job/rows.ts';
import { moved } from './moved.ts';

/** A table with a stream, a clock to move, and a short way to write. */
function aTable(lanes = 2) {
  const clock = new HandClock(at(0));
  const stream = new ChangeStream('jobs', clock, lanes);
  const store = new MemoryStore({ jobs: { stream, ttl: 'ttl' } });
  return {
    clock,
    stream,
    store,
    put: (pk: string, n: number) =>
      store.commit([
        { kind: 'put', table: 'jobs', key: { pk, sk: 'row' }, fields: { n }, when: [] },
      ]),
  };
}

const recordsOf = (stream: ChangeStream) =>
  stream.shards().flatMap(({ records }) => records.map(({ record }) => record));

streamContract('a table in memory', async () => {
  const { store, stream } = aTable();
  return {
    store,
    prefix: 'p',
    records: async (pk) =>
      recordsOf(stream).filter(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S === pk),
  };
});

describe('a change stream', () => {
  it('shapes its records as Lambda gives them to a function', async () => {
    const { stream, put } = aTable();

    await put('a', 1);

    const image = { pk: { S: 'a' }, sk: { S: 'row' }, n: { N: '1' } };
    expect(recordsOf(stream)).toEqual([
      {
        eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
        eventName: 'INSERT',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'local',
        eventSourceARN: stream.arn,
        dynamodb: {
          ApproximateCreationDateTime: at(0) / 1_000,
          Keys: { pk: { S: 'a' }, sk: { S: 'row' } },
          NewImage: image,
          SequenceNumber: expect.stringMatching(/^\d{21}$/),
          SizeBytes: expect.any(Number),
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
      },
    ]);
  });

  it('numbers its records upwards, and gives no id twice', async () => {
    const { stream, put } = aTable(1);
    for (let i = 0; i < 12; i++) await put('a', i);

    const numbers = recordsOf(stream).map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? 0));
    const ids = recordsOf(stream).map(({ eventID }) => eventID);

    expect([...numbers].sort((a, b) => Number(a - b))).toEqual(numbers);
    expect(new Set(ids).size).toBe(12);
  });

  it('spreads keys over its shards, and keeps all of one key in one', async () => {
    const { stream, put } = aTable(3);
    for (let i = 0; i < 60; i++) await put(`key-${i % 20}`, i);

    const keys = stream
      .shards()
      .map(({ records }) => new Set(records.map(({ record }) => record.dynamodb?.Keys?.['pk']?.S)));

    expect(keys.map(({ size }) => size > 0)).toEqual([true, true, true]);
    expect(keys.reduce((sum, { size }) => sum + size, 0)).toBe(20);
  });

  it('goes on in children when its shards roll, and leaves the parents as they are (fact S4)', async () => {
    const { stream, put } = aTable(1);
    await put('a', 1);
    stream.roll();
    await put('a', 2);

    const [parent, child] = stream.shards();

    expect(parent).toMatchObject({ isClosed: true, parent: undefined });
    expect(parent?.records).toHaveLength(1);
    expect(child?.parent).toBe(parent);
    expect(child).toMatchObject({ isClosed: false });
    expect(child?.records).toHaveLength(1);
  });

  it('keeps a record for 24 hours and no longer (fact S1)', async () => {
    const { clock, stream, put } = aTable(1);
    await put('a', 1);
    await moved(clock, hours(1));
    await put('a', 2);

    await moved(clock, hours(23));
    stream.trim();
    expect(recordsOf(stream)).toHaveLength(2);

    await moved(clock, milliseconds(1));
    stream.trim();
    expect(recordsOf(stream)).toHaveLength(1);
    expect(stream.shards()[0]?.first).toBe(1);
  });

  it('gives its table another stream with another ARN when it is switched off and on (fact S5, case outbox 10)', async () => {
    const { clock, stream, store, put } = aTable(1);
    await put('a', 1);

    store.restream('jobs', undefined);
    await put('a', 2);
    await moved(clock, days(0.5));
    const next = new ChangeStream('jobs', clock, 1);
    store.restream('jobs', next);
    await put('a', 3);

    expect(next.arn).not.toBe(stream.arn);
    expect(stream.shards().map(({ isClosed }) => isClosed)).toEqual([true]);
    expect(recordsOf(stream).map(({ dynamodb }) => dynamodb?.NewImage?.['n']?.N)).toEqual(['1']);
    expect(recordsOf(next).map(({ dynamodb }) => dynamodb?.NewImage?.['n']?.N)).toEqual(['3']);
  });

  it('marks what the time to live removed as the service’s doing, and nothing else (fact S8, case outbox 14)', async () => {
    const { stream, store } = aTable(1);
    const expired = { kind: 'put', table: 'jobs', fields: { ttl: 100 }, when: [] } as const;
    await store.commit([{ ...expired, key: { pk: 'a', sk: 'forgotten' } }]);
    await store.commit([{ ...expired, key: { pk: 'a', sk: 'deleted' } }]);
    await store.commit([
      { kind: 'delete', table: 'jobs', key: { pk: 'a', sk: 'deleted' }, when: [] },
    ]);

    store.forget(100);

    const removals = recordsOf(stream).filter(({ eventName }) => eventName === 'REMOVE');
    expect(
      removals.map(({ dynamodb, userIdentity }) => [dynamodb?.Keys?.['sk']?.S, userIdentity]),
    ).toEqual([
      ['deleted', undefined],
      ['forgotten', { type: 'Service', principalId: 'dynamodb.amazonaws.com' }],
    ]);
  });
});
