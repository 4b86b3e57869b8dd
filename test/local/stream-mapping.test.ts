import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Duration } from '../../lib/kernel/brand.ts';
import { hours, later, milliseconds, minutes, seconds } from '../../lib/kernel/time.ts';
import { ChangeStream } from '../../lib/local/change-stream.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { StreamMapping, type StreamMappingSettings } from '../../lib/local/stream-mapping.ts';
import { at } from '../job/rows.ts';
import { moved, settled } from './moved.ts';

type Answer = (names: readonly string[], event: DynamoDBStreamEvent) => unknown;

/** A table whose rows are named by their sort keys, its stream, and what a function was given of it. */
function aTable(lanes = 1) {
  const clock = new HandClock(at(0));
  const stream = new ChangeStream('jobs', clock, lanes);
  const store = new MemoryStore({ jobs: { stream } });
  const calls: { readonly at: number; readonly names: readonly string[] }[] = [];
  return {
    clock,
    stream,
    calls,
    async put(...names: readonly string[]) {
      for (const sk of names)
        await store.commit([
          {
            kind: 'put',
            table: 'jobs',
            key: { pk: 'a', sk },
            fields: { n: calls.length },
            when: [],
          },
        ]);
    },
    /** A mapping whose function answers so; it answers success where nothing else is said. */
    map: (answer: Answer = () => undefined, settings: Partial<StreamMappingSettings> = {}) =>
      new StreamMapping({
        stream,
        clock,
        fleet: {
          async invoke(event) {
            const names = event.Records.map(nameOf);
            calls.push({ at: clock.now() - at(0), names });
            return answer(names, event);
          },
        },
        ...settings,
      }),
    names: () => calls.map(({ names }) => names),
  };
}

const nameOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.Keys?.['sk']?.S ?? '';

/** The partial response that names these of an event's records. */
const failed = ({ Records }: DynamoDBStreamEvent, ...names: readonly string[]) => ({
  batchItemFailures: Records.filter((record) => names.includes(nameOf(record))).map(
    ({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber }),
  ),
});

const numbered = (count: number) => Array.from({ length: count }, (_, i) => String(i));

describe('a stream’s mapping', () => {
  it('begins with the oldest record that is kept, also of before it was made (fact L10, case outbox 7)', async () => {
    const { clock, put, map, names } = aTable();
    await put('1', '2');

    const mapping = map();
    await moved(clock, seconds(1));

    expect(names()).toEqual([['1', '2']]);
    expect(mapping.isIdle()).toBe(true);
  });

  it('gives at most so many records at a time, in order (fact L1)', async () => {
    const { clock, put, map, names } = aTable();
    await put(...numbered(230));

    map();
    await moved(clock, seconds(5));

    expect(names().map(({ length }) => length)).toEqual([100, 100, 30]);
    expect(names().flat()).toEqual(numbered(230));
  });

  it('cuts a batch where the event would grow beyond 6 MB, but never to nothing (fact L1)', async () => {
    const clock = new HandClock(at(0));
    const stream = new ChangeStream('jobs', clock, 1);
    const text = 'x'.repeat(4 * 1024 * 1024);
    for (const n of [1, 2])
      stream.append({ key: { pk: 'a' }, old: undefined, row: { n, text }, byService: false });
    stream.append({
      key: { pk: 'a' },
      old: undefined,
      row: { text: text + text },
      byService: false,
    });
    const sizes: number[] = [];

    const fleet = {
      async invoke({ Records }: DynamoDBStreamEvent) {
        sizes.push(Records.length);
      },
    };
    new StreamMapping({ stream, clock, fleet });
    await moved(clock, seconds(5));

    expect(sizes).toEqual([1, 1, 1]);
  });

  it('gives one shard’s batches one after the other, and works on shards side by side', async () => {
    const { clock, stream, calls, map } = aTable(2);
    const keys = numbered(20);
    for (const pk of keys)
      stream.append({ key: { pk, sk: pk }, old: undefined, row: {}, byService: false });
    const shardOf = new Map(
      stream.shards().flatMap(({ id, records }) => records.map((one) => [nameOf(one.record), id])),
    );
    const open: string[] = [];
    const seen: string[][] = [];

    map(
      async (names) => {
        const shards = [...new Set(names.map((name) => shardOf.get(name) ?? ''))];
        open.push(...shards);
        seen.push([...open]);
        await clock.sleep(seconds(10));
        for (const shard of shards) open.splice(open.indexOf(shard), 1);
      },
      { batchSize: 3 },
    );
    await moved(clock, minutes(5));

    const ids = stream.shards().map(({ id }) => id);
    for (const together of seen) expect(new Set(together).size).toBe(together.length);
    expect(seen.map((together) => [...together].sort())).toContainEqual(ids);
    expect(calls.flatMap(({ names }) => names).sort()).toEqual([...keys].sort());
  });

  it('brings the lowest record named back with all behind it, and nothing before it (fact L3)', async () => {
    const { clock, put, map, names } = aTable();
    await put('1', '2', '3', '4');

    map((_, event) => (names().length === 1 ? failed(event, '4', '2') : undefined));
    await moved(clock, minutes(1));

    expect(names()).toEqual([
      ['1', '2', '3', '4'],
      ['2', '3', '4'],
    ]);
  });

  it.each<[string, Answer]>([
    ['throws', () => Promise.reject(new Error('no'))],
    ['throws nothing', () => Promise.reject(undefined)],
    ['names what was not in the batch', () => ({ batchItemFailures: [{ itemIdentifier: '7' }] })],
    ['names nothing', () => ({ batchItemFailures: [{ itemIdentifier: '' }] })],
    ['names it by a wrong word', () => ({ batchItemFailures: [{ id: '1' }] })],
  ])('brings the whole batch back when the function %s (fact L4)', async (_, answer) => {
    const { clock, put, map, names } = aTable();
    await put('1', '2');

    map((...given) => (names().length === 1 ? answer(...given) : undefined));
    await moved(clock, minutes(1));

    expect(names()).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  it('tries for ever, with pauses that grow to 30 seconds (fact L6)', async () => {
    const { clock, put, calls, map } = aTable();
    await put('1');

    map(() => Promise.reject(new Error('no')));
    await moved(clock, hours(2));

    const pauses = calls.map((call, i) => call.at - (calls[i - 1]?.at ?? 0)).slice(1);
    expect(pauses.slice(0, 6)).toEqual([2, 4, 8, 16, 30, 30].map((count) => seconds(count)));
    expect(calls.length).toBeGreaterThan(200);
  });

  it('pauses briefly again once a failing batch got on', async () => {
    const { clock, put, calls, map } = aTable();
    await put('1', '2');

    map((names, event) => {
      if (calls.length <= 3) return Promise.reject(new Error('no'));
      return names.includes('1') ? failed(event, '2') : undefined;
    });
    await moved(clock, hours(1));

    const pauses = calls.map((call, i) => call.at - (calls[i - 1]?.at ?? 0)).slice(1);
    expect(pauses).toEqual([seconds(2), seconds(4), seconds(8), seconds(2)]);
  });

  it('pauses briefly again after a success', async () => {
    const { clock, put, calls, map } = aTable();
    await put('1');

    map(() => (calls.length === 3 ? undefined : Promise.reject(new Error('no'))));
    await moved(clock, minutes(1));
    await put('2');
    await moved(clock, seconds(4));

    const times = calls.slice(3).map((call) => call.at - seconds(60));
    expect(times).toEqual([milliseconds(250), milliseconds(2_250)]);
  });

  it('comes back by halves where asked, so that what is good before a poison goes on (fact L5)', async () => {
    const { clock, put, map, names } = aTable();
    await put(...numbered(12));

    map((given) => (given.includes('5') ? Promise.reject(new Error('poison')) : undefined), {
      bisect: true,
    });
    await moved(clock, minutes(5));

    const given = names().map((batch) => `${batch[0]}-${batch.at(-1)}`);
    expect(given.slice(0, 6)).toEqual(['0-11', '0-5', '0-2', '3-11', '3-7', '3-5']);
    expect(names().at(-1)).toEqual(['5']);
  });

  it('passes over what its filter leaves out, without a call for nothing else (fact L11)', async () => {
    const { clock, put, map, names } = aTable();
    await put('1', 'x', '2', 'x2');

    const mapping = map(undefined, { filter: (record) => !nameOf(record).startsWith('x') });
    await moved(clock, seconds(1));
    await put('x3');
    await moved(clock, seconds(1));

    expect(names()).toEqual([['1', '2']]);
    expect(mapping.isIdle()).toBe(true);
  });

  it('comes back to the right record when others were filtered out before it', async () => {
    const { clock, put, map, names } = aTable();
    await put('x1', '1', 'x2', '2', '3');

    map((_, event) => (names().length === 1 ? failed(event, '2') : undefined), {
      filter: (record) => !nameOf(record).startsWith('x'),
    });
    await moved(clock, minutes(1));

    expect(names()).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
    ]);
  });

  it('reads a child only when all its forebears are read to their ends (fact S4, case outbox 9)', async () => {
    const { clock, stream, put, map, names } = aTable();
    await put('old');
    stream.roll();
    stream.roll();
    await put('new');

    map(() => (names().length < 3 ? Promise.reject(new Error('no')) : undefined));
    await moved(clock, minutes(1));

    expect(names()).toEqual([['old'], ['old'], ['old'], ['new']]);
  });

  it('leaves a child alone while its parent’s last batch is under way', async () => {
    const { clock, stream, put, map, names } = aTable();
    await put('old');

    map(async (given) => {
      if (given.includes('old')) await clock.sleep(seconds(30));
    });
    await moved(clock, seconds(1));
    stream.roll();
    await put('new');
    await moved(clock, seconds(20));
    expect(names()).toEqual([['old']]);

    await moved(clock, seconds(20));
    expect(names()).toEqual([['old'], ['new']]);
  });

  it('loses what grew older than 24 hours unread, and counts it (facts S1, L6)', async () => {
    const { clock, put, map, names } = aTable();
    await put('1', '2');
    const mapping = map();
    mapping.pause(later(clock.now(), hours(25)));

    await moved(clock, hours(2));
    await put('3');
    await moved(clock, hours(24));

    expect(names()).toEqual([['3']]);
    expect(mapping.lost).toBe(2);
    expect(mapping.isIdle()).toBe(true);
  });

  it('gives no record that grew older than 24 hours while its batch waited to be tried again', async () => {
    const { clock, put, calls, map } = aTable();
    await put('1');
    await moved(clock, hours(1));
    await put('2');

    const mapping = map(() => Promise.reject(new Error('no')));
    await moved(clock, hours(23.5));

    const late = calls.filter((call) => call.at > hours(24));
    expect(late.length).toBeGreaterThan(10);
    expect(late.flatMap(({ names }) => names)).not.toContain('1');
    expect(mapping.lost).toBe(1);
  });

  it('is not idle while a function works on records that meanwhile grew too old', async () => {
    const { clock, stream, put, map } = aTable();
    await put('1');
    const mapping = map(() => clock.sleep(hours(26)));
    await moved(clock, hours(25));

    stream.trim();
    expect(mapping.isIdle()).toBe(false);

    await moved(clock, hours(2));
    expect(mapping.isIdle()).toBe(true);
  });

  it('skips nothing that is kept when a batch under way grows too old', async () => {
    const { clock, put, map, names } = aTable();
    await put('1', '2');

    const mapping = map(async (_, event) => {
      if (names().length > 1) return undefined;
      await clock.sleep(hours(25));
      return failed(event, '2');
    });
    await moved(clock, hours(2));
    await put('3');
    await moved(clock, hours(24));

    expect(names()).toEqual([['1', '2'], ['3']]);
    expect(mapping.lost).toBe(1);
  });

  it('lets several mappings read the same stream, each at its own place (fact S6)', async () => {
    const { clock, put, map } = aTable();
    const seen: string[][] = [[], []];
    await put('1', '2');

    const mappings = seen.map((mine) => map((names) => void mine.push(...names)));
    await moved(clock, seconds(1));

    expect(seen).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
    expect(mappings.map((mapping) => mapping.isIdle())).toEqual([true, true]);
  });

  it.each<[string, readonly Duration[]]>([
    ['an outage', [minutes(5)]],
    ['a longer outage that meets a shorter one', [minutes(5), minutes(1)]],
    ['a shorter outage that meets a longer one', [minutes(1), minutes(5)]],
  ])('reads nothing in %s, and goes on by itself after it', async (_, lengths) => {
    const { clock, put, calls, map } = aTable();
    const mapping = map();
    await put('1');

    for (const length of lengths) mapping.pause(later(clock.now(), length));
    await moved(clock, minutes(4));
    expect(calls).toEqual([]);
    expect(mapping.isIdle()).toBe(false);

    await moved(clock, minutes(2));
    expect(calls).toEqual([{ at: minutes(5) + milliseconds(250), names: ['1'] }]);
  });

  it('remembers through an outage how often a batch failed', async () => {
    const { clock, put, calls, map } = aTable();
    await put('1');
    const mapping = map(() => Promise.reject(new Error('no')));
    await moved(clock, seconds(20));
    expect(calls.map((call) => call.at)).toEqual([250, 2_250, 6_250, 14_250]);

    mapping.pause(at(60_000));
    await moved(clock, minutes(1));

    expect(calls[4]?.at).toBe(76_000);
  });

  it('sets no alarm when there is nothing to do', async () => {
    const { clock, put, map } = aTable();
    map();
    await put('1');
    await moved(clock, seconds(1));

    expect(clock.next()).toBeUndefined();
  });

  it('is not idle while a record waits or a function runs', async () => {
    const { clock, put, map } = aTable();
    let end = (): void => {};
    const mapping = map(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    expect(mapping.isIdle()).toBe(true);

    await put('1');
    expect(mapping.isIdle()).toBe(false);

    await moved(clock, seconds(1));
    expect(mapping.isIdle()).toBe(false);

    end();
    await settled();
    expect(mapping.isIdle()).toBe(true);
  });

  it('gives nothing more once it is stopped', async () => {
    const { clock, put, calls, map } = aTable();
    const mapping = map();
    await put('1');

    mapping.stop();
    await put('2');
    await moved(clock, minutes(1));

    expect(calls).toEqual([]);
    expect(clock.next()).toBeUndefined();
  });

  it('shares nothing with the function: what that changes in a record comes back unchanged', async () => {
    const { clock, put, map, names } = aTable();
    await put('1');

    map((_, event) => {
      const [record] = event.Records;
      if (record?.dynamodb) delete record.dynamodb.Keys;
      return names().length === 1 ? Promise.reject(new Error('no')) : undefined;
    });
    await moved(clock, minutes(1));

    expect(names()).toEqual([['1'], ['1']]);
  });

  it('goes on reading a stream that was switched off (fact S5)', async () => {
    const { clock, stream, put, map, names } = aTable();
    await put('1');

    stream.close();
    await put('2');
    map();
    await moved(clock, seconds(1));

    expect(names()).toEqual([['1']]);
  });
});
