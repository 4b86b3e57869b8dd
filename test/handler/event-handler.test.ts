import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { done, eventHandler, minutes, once, retryLater, type Write } from '../../lib/index.ts';
import type { Envelope } from '../../lib/kernel/envelope.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { aJob, consumed, copyJob, published, states, stored, sums } from './consumed.ts';
import { slept, unreliable } from './count-job.ts';
import { type AWorld, aWorld } from './world.ts';

const [first, second] = published(aJob('a')) as [Envelope, Envelope, ...Envelope[]];
const adds: Write = {
  table: 'own',
  key: { pk: 'sum', sk: 'row' },
  when: [],
  kind: 'update',
  add: { count: 1 },
};
const sns = (message: unknown) =>
  JSON.stringify({ Type: 'Notification', TopicArn: 'arn', Message: JSON.stringify(message) });
const bus = (detail: unknown) =>
  JSON.stringify({ version: '0', 'detail-type': 'copy.succeeded', source: 'x', detail });

/** A consumer that adds one per event, and what it saw. */
function counting(world: AWorld, over: { readonly unknown?: 'ignore' | 'poison' } = {}) {
  const seen: { id: string; trace: string | undefined; replay: boolean }[] = [];
  const handler = eventHandler(
    {
      consumer: 'counter',
      table: 'own',
      of: copyJob,
      ...over,
      async handle({ id, trace, replay }) {
        seen.push({ id, trace, replay });
        return done({ writes: [adds] });
      },
    },
    world,
  );
  return { handler, seen };
}

const count = (world: AWorld) => world.store.peek('own', { pk: 'sum', sk: 'row' })?.['count'];
const told = (world: AWorld) =>
  world.happenings.flatMap((it) => ('consumer' in it ? [[it.kind, it.event]] : []));
const codes = (world: AWorld) =>
  world.sent.map(({ entry }) => JSON.parse(entry.attributes?.['lanekeeper'] ?? '{}').code);

describe('a consumer with code of its own', () => {
  it.each([
    ['bare', JSON.stringify(first)],
    ['wrapped by SNS', sns(first)],
    ['wrapped by EventBridge', bus(first)],
    ['wrapped by EventBridge, then by SNS', sns(JSON.parse(bus(first)))],
  ])('reads an event that comes %s', async (_, body) => {
    const world = aWorld();
    const { handler, seen } = counting(world);

    expect(await consumed(world, handler, [body])).toEqual([true]);
    expect(seen.map(({ id }) => id)).toEqual([first.id]);
  });

  it('handles an event once, however it comes again, and says so (promise P9, case outbox 17)', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);

    await consumed(world, handler, [first, sns(first), second, bus(first)]);

    expect(seen.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(count(world)).toBe(2);
    expect(told(world)).toEqual([
      ['event-repeated', first.id],
      ['event-repeated', first.id],
    ]);
  });

  it('has its effect once beside another that handles the same event now', async () => {
    const world = aWorld();
    const { handler } = counting(world);

    await Promise.all([consumed(world, handler, [first]), consumed(world, handler, [first])]);

    expect(count(world)).toBe(1);
    expect(told(world)).toEqual([['event-repeated', first.id]]);
  });

  it('has its effect once where the reply to its commit gets lost', async () => {
    const world = aWorld();
    let lost = 0;
    const store = unreliable(world.store, () => (lost++ < 2 ? 'reply-lost' : 'arrives'));
    const { handler } = counting(Object.assign({}, world, { store }) as unknown as AWorld);

    expect(await slept(world, consumed(world, handler, [first, first]))).toEqual([true, true]);
    expect(count(world)).toBe(1);
  });

  it('remembers what ended by done() without writes too', async () => {
    const world = aWorld();
    let runs = 0;
    const handler = eventHandler(
      {
        consumer: 'counter',
        table: 'own',
        of: copyJob,
        async handle() {
          runs += 1;
          return done();
        },
      },
      world,
    );

    await consumed(world, handler, [first, first]);

    expect(runs).toBe(1);
    expect(world.store.all('own')).toHaveLength(1);
  });

  it('may put an event off, which remembers nothing', async () => {
    const world = aWorld();
    const handler = eventHandler(
      {
        consumer: 'c',
        table: 'own',
        of: copyJob,
        handle: async () => retryLater({ after: minutes(1) }),
      },
      world,
    );

    expect(await consumed(world, handler, [first])).toEqual([false]);
    expect(world.store.all('own')).toEqual([]);
  });

  it('meets the entry of once(…): both have one key', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);
    const entry = once('counter', { id: first.id }, { table: 'own', clock: world.clock });

    expect((await world.store.commit([entry])).kind).toBe('committed');
    await consumed(world, handler, [first]);

    expect(seen).toEqual([]);
    expect((await world.store.commit([entry])).kind).toBe('refused');
  });

  it('hands on the trace in which the event was committed (case outbox 52)', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

    await consumed(world, handler, [{ ...first, traceparent }]);

    expect(seen[0]?.trace).toBe(traceparent);
  });
});

describe('a replay', () => {
  const again: Envelope = { ...first, replay: true };

  it('is a repeat, and meets the entry (trace H15, case outbox 22)', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);

    await consumed(world, handler, [first, again]);

    expect(seen).toHaveLength(1);
  });

  it('with a name is handled again, once per name, by those that it is for', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);
    const named = { ...again, replayas: 'fix-1', replayfor: 'mail,counter' };
    const other = { ...named, replayas: 'fix-2' };

    await consumed(world, handler, [first, named, named, other, again]);

    expect(seen.map(({ replay }) => replay)).toEqual([false, true, true]);
    expect(count(world)).toBe(3);
  });

  it('with a name is a repeat to everyone else', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);

    await consumed(world, handler, [first, { ...again, replayas: 'fix-1', replayfor: 'mail' }]);

    expect(seen).toHaveLength(1);
  });
});

describe('a body that a consumer can’t take', () => {
  it.each([
    ['no JSON', 'hello', 'body-not-json'],
    ['null', 'null', 'envelope-unreadable'],
    ['a list', '[1]', 'envelope-unreadable'],
    ['another system’s message', '{"order":1}', 'envelope-unreadable'],
    [
      'another system’s CloudEvent',
      JSON.stringify({ ...first, sequence: undefined }),
      'envelope-unreadable',
    ],
    [
      'an SNS notification of text',
      JSON.stringify({ Type: 'Notification', Message: 'hi' }),
      'body-not-json',
    ],
    ['an EventBridge event of AWS', bus({ state: 'running' }), 'envelope-unreadable'],
    [
      'a replay for nobody',
      JSON.stringify({ ...first, replayas: 'a', replayfor: '' }),
      'envelope-unreadable',
    ],
  ])('ends as poison, and nothing else of the batch: %s', async (_, body, code) => {
    const world = aWorld();
    const { handler, seen } = counting(world);

    expect(await consumed(world, handler, [body, first])).toEqual([true, true]);
    expect(codes(world)).toEqual([code]);
    expect(seen).toHaveLength(1);
  });
});

describe('a type that nobody named', () => {
  const strange: Envelope = { ...first, type: 'copy.renamed' };

  it('is acknowledged, told, and remembered nowhere', async () => {
    const world = aWorld();
    const { handler, seen } = counting(world);

    expect(await consumed(world, handler, [strange])).toEqual([true]);
    expect(seen).toEqual([]);
    expect(told(world)).toEqual([['event-ignored', first.id]]);
    expect(world.store.all('own')).toEqual([]);
  });

  it('is poison where that was asked for', async () => {
    const world = aWorld();
    const { handler } = counting(world, { unknown: 'poison' });

    await consumed(world, handler, [strange]);

    expect(codes(world)).toEqual(['event-unknown']);
  });
});

describe('schemas instead of a job', () => {
  const rows = z.union([
    z.object({ rows: z.number() }),
    z.object({ worth: z.number() }).transform(({ worth }) => ({ rows: worth })),
  ]);
  const reading = (world: AWorld, seen: number[]) =>
    eventHandler(
      {
        consumer: 'foreign',
        table: 'own',
        of: { 'copy.succeeded': rows },
        async handle(event) {
          seen.push(event.data.rows);
          return done();
        },
      },
      world,
    );

  it('give their own output, so that one upcasts', async () => {
    const world = aWorld();
    const seen: number[] = [];

    await consumed(world, reading(world, seen), [first, { ...second, data: { rows: 7 } }]);

    expect(seen).toEqual([1, 7]);
  });

  it('refuse data as poison, without telling it', async () => {
    const world = aWorld();
    const seen: number[] = [];

    await consumed(world, reading(world, seen), [{ ...first, data: { secret: 'x' } }]);

    expect(codes(world)).toEqual(['event-data-invalid']);
    expect(JSON.stringify(world.sent[0]?.entry.attributes)).not.toContain('secret');
    expect(seen).toEqual([]);
  });
});

describe('a consumer with projections', () => {
  it('keeps no inbox: each projection’s own guard makes a repeat harmless', async () => {
    const world = aWorld();
    const handler = eventHandler(
      { consumer: 'c', table: 'own', of: copyJob, projections: [states(), sums()] },
      world,
    );

    await consumed(world, handler, [first, first]);

    const keys = world.store.all('own').map(({ pk }) => String(pk).split(/[#-]/)[0]);
    expect(new Set(keys)).toEqual(new Set(['copy', 'cursor', 'sum']));
    expect(told(world)).toEqual([
      ['event-repeated', first.id],
      ['event-repeated', first.id],
    ]);
    expect(world.kinds()).toEqual([
      'message-done',
      'event-repeated',
      'event-repeated',
      'message-repeated',
    ]);
  });

  it('goes on with the next projection where one must wait', async () => {
    const world = aWorld();
    const job = aJob('a', { events: 2 });
    await stored(world, job);
    const handler = eventHandler(
      { consumer: 'c', table: 'own', of: copyJob, projections: [sums('block'), states()] },
      world,
    );

    expect(await consumed(world, handler, [second])).toEqual([false]);

    expect(world.store.peek('own', { pk: job.id, sk: 'row' })).toMatchObject({ id: second.id });
    expect(world.store.peek('own', { pk: 'sum', sk: 'row' })).toBeUndefined();
  });

  it('says which types it was not to know, and advances past them all the same', async () => {
    const world = aWorld();
    const handler = eventHandler(
      { consumer: 'c', table: 'own', of: copyJob, projections: [sums('block')] },
      world,
    );

    const done = await consumed(world, handler, [{ ...first, type: 'copy.renamed' }, second]);

    expect(done).toEqual([true, true]);
    expect(told(world)).toEqual([['event-ignored', first.id]]);
    expect(world.store.peek('own', { pk: 'sum', sk: 'row' })).toMatchObject({ worth: 2 });
  });
});

describe('the start of a consumer', () => {
  const usual = { consumer: 'c', table: 'own', of: copyJob } as const;
  const handle = async () => done();

  it.each<[string, object, string]>([
    ['neither code nor projections', { ...usual }, 'setting-invalid'],
    ['a name with a mark', { ...usual, consumer: 'a#b', handle }, 'setting-invalid'],
    ['a table that is not there', { ...usual, table: 'none', handle }, 'table-unknown'],
    [
      'a projection’s table that is not there',
      { ...usual, projections: [states('none')] },
      'table-unknown',
    ],
    [
      'two projections of one name',
      { ...usual, projections: [states(), states()] },
      'setting-invalid',
    ],
    [
      'a look-alike of a projection',
      { ...usual, projections: [{ name: 'x' }] },
      'projection-not-defined',
    ],
    ['a look-alike of a job', { ...usual, of: { name: 'copy' }, handle }, 'job-not-defined'],
    ['nothing to listen to', { ...usual, of: {}, handle }, 'setting-invalid'],
    ['no jobs to listen to', { ...usual, of: [], handle }, 'setting-invalid'],
    ['a type without a schema', { ...usual, of: { 'copy.failed': 1 }, handle }, 'setting-invalid'],
    ['a type without a kind', { ...usual, of: { failed: z.any() }, handle }, 'setting-invalid'],
    ['another end of what is unknown', { ...usual, handle, unknown: 'drop' }, 'setting-invalid'],
  ])('refuses %s', (_, settings, code) => {
    expect(() => eventHandler(settings as never, aWorld())).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('names the table jobs where a projection fills gaps from it, and only then', () => {
    const store = new MemoryStore({ own: {}, [tables.care]: {} });
    const world = { ...aWorld(), store };
    const start = (onGap: 'fill' | 'block') => () =>
      eventHandler({ ...usual, projections: [sums(onGap)] }, world);

    expect(start('fill')).toThrow(
      expect.objectContaining({ code: 'table-unknown', facts: { table: 'jobs' } }),
    );
    expect(start('block')).not.toThrow();
  });
});
