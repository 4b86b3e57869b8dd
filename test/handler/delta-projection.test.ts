import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type DeltaChange,
  deltaProjection,
  eventHandler,
  type Gap,
  type OnGap,
  type Write,
} from '../../lib/index.ts';
import { keyOf } from '../../lib/job/job.ts';
import type { Envelope } from '../../lib/kernel/envelope.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { aJob, consumed, copyJob, published, stored, sums } from './consumed.ts';
import { slept, unreliable } from './count-job.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

const job = aJob('a', { events: 3 });
const events = published(job);
const [first, second, third] = events as [Envelope, Envelope, Envelope];

const summing = (world: AWorld, onGap: OnGap = 'fill') =>
  eventHandler({ consumer: 'c', table: 'own', of: copyJob, projections: [sums(onGap)] }, world);
const sum = (world: AWorld) => world.store.peek('own', { pk: 'sum', sk: 'row' })?.['worth'] ?? 0;
const cursor = (world: AWorld) =>
  world.store.peek('own', { pk: `cursor#sums#${job.id}#01A`, sk: 'cursor' })?.['sequence'];
const gaps = (world: AWorld) =>
  world.happenings.flatMap((it) => ('from' in it ? [[it.kind, it.from, it.to]] : []));
const codes = (world: AWorld) =>
  world.sent.map(({ entry }) => JSON.parse(entry.attributes?.['lanekeeper'] ?? '{}').code);
const failures = (world: AWorld) =>
  world.happenings.flatMap((it) => (it.kind === 'message-failed' ? [it.failure.code] : []));
const worth = (amount: number): Write => ({
  table: 'own',
  key: { pk: 'sum', sk: 'row' },
  when: [],
  kind: 'update',
  add: { worth: amount },
});

describe('a delta', () => {
  it('adds each event once; commands between them make no gap (traces H1 and H10)', async () => {
    const world = aWorld();

    await consumed(world, summing(world, 'block'), [first, first, second, first, third, third]);

    expect(sum(world)).toBe(7);
    expect(cursor(world)).toBe(3);
    expect(gaps(world)).toEqual([]);
  });

  it('takes the events of many jobs into one sum', async () => {
    const world = aWorld();
    const others = published(aJob('b', { events: 2 }));

    await consumed(world, summing(world, 'block'), [first, ...others, second, ...others, third]);

    expect(sum(world)).toBe(7 + 3);
  });

  it('adds nothing twice where replies get lost (promise P9)', async () => {
    const world = aWorld();
    let lost = 0;
    const store = unreliable(world.store, () => (lost++ % 3 < 2 ? 'reply-lost' : 'arrives'));
    const handler = summing(Object.assign({}, world, { store }) as unknown as AWorld);

    expect(await slept(world, consumed(world, handler, events))).toEqual([true, true, true]);
    expect(sum(world)).toBe(7);
  });

  it('leaves an event uncounted while no reply comes at all, and meets it later', async () => {
    const world = aWorld();
    let replies = false;
    const store = unreliable(world.store, () => (replies ? 'arrives' : 'reply-lost'));
    const handler = summing(Object.assign({}, world, { store }) as unknown as AWorld);

    expect(await slept(world, consumed(world, handler, [first]))).toEqual([false]);
    expect(failures(world)).toEqual(['outage']);
    replies = true;
    expect(await slept(world, consumed(world, handler, [first]))).toEqual([true]);

    expect(sum(world)).toBe(1);
  });

  it('advances past what it skips, in one write', async () => {
    const world = aWorld();
    const commits: number[] = [];
    const store = unreliable(world.store, (writes) => {
      commits.push(writes.length);
      return 'arrives';
    });
    const handler = summing(Object.assign({}, world, { store }) as unknown as AWorld, 'block');

    await consumed(world, handler, [{ ...first, type: 'copy.failed' }, second]);

    expect(commits).toEqual([1, 2]);
    expect(sum(world)).toBe(2);
  });

  it('advances past a type that its schemas don’t name, and no command of the job moves it', async () => {
    const world = aWorld();
    const of = { 'copy.succeeded': z.object({ worth: z.number() }) };
    const projection = deltaProjection({
      of,
      name: 'sums',
      table: 'own',
      change: ({ data }) => ({
        kind: 'add',
        key: { pk: 'sum', sk: 'row' },
        add: { worth: data.worth },
      }),
      onGap: 'block',
    });
    const handler = eventHandler(
      { consumer: 'c', table: 'own', of, projections: [projection] },
      world,
    );
    const command = { ...first, type: 'copy.run' };
    const foreign = { ...first, type: 'other.succeeded' };

    await consumed(world, handler, [command, foreign, { ...first, type: 'copy.failed' }, second]);

    expect(sum(world)).toBe(2);
    expect(cursor(world)).toBe(2);
  });

  it('counts each life of a job from its beginning', async () => {
    const world = aWorld();
    const again = published(aJob('a', { events: 1, incarnation: '01B' }));

    await consumed(world, summing(world, 'block'), [first, ...again, second]);

    expect(sum(world)).toBe(1 + 1 + 2);
  });

  it.each<[string, 'pk' | 'pk-and-sk', DeltaChange['key']]>([
    ['a table of pk alone', 'pk', { pk: 'sum' }],
    ['a table of pk and sk', 'pk-and-sk', { pk: 'sum', sk: 'row' }],
  ])('keeps its cursors in the shape of %s', async (_, keys, key) => {
    const world = aWorld();
    const projection = deltaProjection({
      of: copyJob,
      name: 'sums',
      table: 'own',
      keys,
      change: () => ({ kind: 'add', key, add: { n: 1 } }),
      onGap: 'block',
    });
    const handler = eventHandler(
      { consumer: 'c', table: 'own', of: copyJob, projections: [projection] },
      world,
    );

    expect(await consumed(world, handler, [{ ...first, type: 'copy.renamed' }, second])).toEqual([
      true,
      true,
    ]);
    expect(world.store.peek('own', key)).toMatchObject({ n: 1 });
  });

  it.each([
    ['a key without its sort key', { kind: 'add', key: { pk: 'sum' }, add: { n: 1 } }],
    ['nothing to add', { kind: 'add', key: { pk: 'sum', sk: 'row' }, add: {} }],
    ['no number', { kind: 'add', key: { pk: 'sum', sk: 'row' }, add: { n: Number.NaN } }],
    ['another kind', { kind: 'put', key: { pk: 'sum', sk: 'row' }, fields: {} }],
  ])('refuses %s, and its cursor stays', async (_, change) => {
    const world = aWorld();
    const projection = deltaProjection({
      of: copyJob,
      name: 'sums',
      table: 'own',
      change: () => change as never,
      onGap: 'block',
    });
    const handler = eventHandler(
      { consumer: 'c', table: 'own', of: copyJob, projections: [projection] },
      world,
    );

    await consumed(world, handler, [first]);

    expect(codes(world)).toEqual(['projection-change-invalid']);
    expect(world.store.all('own')).toEqual([]);
  });
});

describe('a gap', () => {
  it('is filled from the job’s row before the early event, which then is in order (trace H10)', async () => {
    const world = aWorld();
    await stored(world, job);

    expect(await consumed(world, summing(world), [third, first, second])).toEqual([
      true,
      true,
      true,
    ]);

    expect(sum(world)).toBe(7);
    expect(gaps(world)).toEqual([
      ['gap-seen', 1, 2],
      ['gap-filled', 1, 2],
    ]);
  });

  it('is noticed in the middle', async () => {
    const world = aWorld();
    await stored(world, job);

    await consumed(world, summing(world), [first, third]);

    expect(gaps(world)).toEqual([
      ['gap-seen', 2, 2],
      ['gap-filled', 2, 2],
    ]);
    expect(sum(world)).toBe(7);
  });

  it.each<[string, (world: AWorld) => Promise<void>]>([
    ['whose row is gone', async () => {}],
    ['whose row is of another life', (world) => stored(world, aJob('a', { incarnation: '01B' }))],
    ['whose events were trimmed', (world) => stored(world, aJob('a', { events: 3, first: 2 }))],
    ['whose row a newer release wrote', (world) => stored(world, aJob('a', { schema: 9 }))],
  ])('of a job %s can’t be filled: the group waits, uncounted', async (_, prepare) => {
    const world = aWorld();
    await prepare(world);
    const handler = summing(world);

    for (let i = 0; i < 6; i++) expect(await consumed(world, handler, [second])).toEqual([false]);

    expect(new Set(failures(world))).toEqual(new Set(['gap-unfillable']));
    expect(world.sent).toEqual([]);
    expect(world.store.all(tables.care)).toEqual([]);
    expect(sum(world)).toBe(0);
    expect(new Set(world.hidden.map(({ length }) => length))).toEqual(new Set([15 * 60_000]));

    await stored(world, job);
    expect(await consumed(world, handler, [second])).toEqual([true]);
    expect(sum(world)).toBe(3);
  });

  it('holds the group under "block" until what is missing came another way', async () => {
    const world = aWorld();
    const handler = summing(world, 'block');
    const batch = [
      aRecord('A1', { body: JSON.stringify(second) }),
      aRecord('A2', { body: JSON.stringify(third) }),
    ];

    const { batchItemFailures } = await handler(anEvent(...batch), aContext(world));

    expect(batchItemFailures).toHaveLength(2);
    expect(failures(world)).toEqual(['gap-open']);
    expect(await consumed(world, handler, [first, second, third])).toEqual([true, true, true]);
    expect(sum(world)).toBe(7);
  });

  it.each<[string, number, number]>([
    ['with the early event in it, which is then a repeat', 3, 7],
    ['right up to the early event, which is then applied', 2, 3 + 4],
  ])('is resynced by a snapshot %s', async (_, upTo, wanted) => {
    const world = aWorld();
    const asked: Gap[] = [];
    const resync = async (gap: Gap) => {
      asked.push(gap);
      return { writes: [worth(2 ** upTo - 1)], upTo };
    };

    expect(await consumed(world, summing(world, resync), [third, third])).toEqual([true, true]);

    expect(asked).toEqual([{ job: job.id, incarnation: '01A', from: 1, to: 2 }]);
    expect(sum(world)).toBe(wanted);
    expect(cursor(world)).toBe(3);
    expect(gaps(world).map(([kind]) => kind)).toEqual(['gap-seen', 'gap-resynced']);
  });

  it.each<[string, number, number | undefined]>([
    ['that is older than the gap, of which nothing is written', 0, undefined],
    ['that ends inside the gap, which is still one', 1, 1],
  ])('stays one after a snapshot %s', async (_, upTo, at) => {
    const world = aWorld();
    const resync = async () => ({ writes: [worth(upTo)], upTo });

    expect(await consumed(world, summing(world, resync), [third])).toEqual([false]);

    expect(cursor(world)).toBe(at);
    expect(sum(world)).toBe(upTo);
    expect(failures(world)).toEqual(['gap-open']);
  });

  it('is resynced only from where it was seen: a cursor that moved meanwhile keeps its sum', async () => {
    const world = aWorld();
    const live = summing(world, 'block');
    const resync = async () => {
      await consumed(world, live, [first, second]);
      return { writes: [worth(3)], upTo: 2 };
    };

    expect(await consumed(world, summing(world, resync), [third])).toEqual([true]);

    expect(sum(world)).toBe(7);
  });

  it('counts a resync whose own condition doesn’t hold, or that answers nothing of use, as a failure', async () => {
    const world = aWorld();
    const guarded: Write = { ...worth(1), when: [{ kind: 'present', why: 'there' }] };

    await consumed(
      world,
      summing(world, async () => ({ writes: [guarded], upTo: 2 })),
      [third],
    );
    await consumed(
      world,
      summing(world, async () => ({}) as never),
      [third],
    );

    expect(failures(world)).toEqual(['writes-refused']);
    expect(codes(world)).toEqual(['projection-change-invalid']);
    expect(cursor(world)).toBeUndefined();
  });

  it('is resynced where filling can’t help, and only there', async () => {
    const world = aWorld();
    await stored(world, job);
    let asked = 0;
    const fill = async () => {
      asked += 1;
      return { writes: [worth(4)], upTo: 3 };
    };
    const handler = summing(world, { fill });

    await consumed(world, handler, [second]);
    expect(asked).toBe(0);
    await world.store.commit([
      { table: tables.jobs, key: keyOf(job.id), when: [], kind: 'delete' },
    ]);
    const [, , , fourth] = published(aJob('a', { events: 4 }));
    await consumed(world, handler, fourth === undefined ? [] : [fourth]);

    expect(asked).toBe(1);
    expect(sum(world)).toBe(15);
  });

  it.each([['nothing'], [{ fill: 1 }], [null]])('has no remedy %j', (onGap) => {
    expect(() => sums(onGap as never)).toThrow(
      expect.objectContaining({ code: 'setting-invalid' }),
    );
  });
});
