import { describe, expect, it } from 'vitest';
import { eventHandler, type SnapshotChange, snapshotProjection } from '../../lib/index.ts';
import type { Envelope } from '../../lib/kernel/envelope.ts';
import { lengths } from '../../lib/kernel/settings.ts';
import { aJob, consumed, copyJob, published } from './consumed.ts';
import { type AWorld, aWorld } from './world.ts';

const events = published(aJob('a', { events: 3 }));
const [first, second, third] = events as [Envelope, Envelope, Envelope];
const key = { pk: 'shelf', sk: 'row' };

/** A consumer whose only projection answers as told. */
const showing = (
  world: AWorld,
  change: (id: string) => SnapshotChange | { readonly kind: 'skip' },
) =>
  eventHandler(
    {
      consumer: 'c',
      table: 'own',
      of: copyJob,
      projections: [
        snapshotProjection({
          of: copyJob,
          name: 'shelf',
          table: 'own',
          change: ({ id }) => change(id),
        }),
      ],
    },
    world,
  );

const puts = (id: string): SnapshotChange => ({ kind: 'put', key, fields: { id } });
const row = (world: AWorld) => world.store.peek('own', key);
const told = (world: AWorld) =>
  world.happenings.flatMap((it) => ('projection' in it ? [[it.kind, it.projection]] : []));
const codes = (world: AWorld) =>
  world.sent.map(({ entry }) => JSON.parse(entry.attributes?.['lanekeeper'] ?? '{}').code);

describe('a snapshot', () => {
  it('shows the newest state, and which it is', async () => {
    const world = aWorld();

    await consumed(world, showing(world, puts), events);

    expect(row(world)).toEqual({
      ...key,
      id: third.id,
      _job: third.subject,
      _incarnation: third.incarnation,
      _version: third.version,
    });
  });

  it('never shows an older one again, and tells a stale event from a repeated one (promise P13)', async () => {
    const world = aWorld();
    const handler = showing(world, puts);

    expect(await consumed(world, handler, [second, second, first])).toEqual([true, true, true]);

    expect(row(world)).toMatchObject({ id: second.id });
    expect(told(world)).toEqual([
      ['event-repeated', 'shelf'],
      ['event-stale', 'shelf'],
    ]);
  });

  it('begins anew with a re-created job, whose versions are small again (trace H24)', async () => {
    const world = aWorld();
    const [reborn] = published(aJob('a', { events: 1, incarnation: '01B' })) as [Envelope];
    const handler = showing(world, puts);

    await consumed(world, handler, [third, reborn, third]);

    expect(row(world)).toMatchObject({ id: reborn.id, _incarnation: '01B', _version: 2 });
  });

  it('leaves a tombstone where a job is removed, which an older event can’t undo', async () => {
    const world = aWorld();
    const handler = showing(world, (id) => (id === second.id ? { kind: 'remove', key } : puts(id)));

    await consumed(world, handler, [second, first]);

    const ttl = Math.ceil((world.clock.now() + lengths.inboxMemory) / 1_000);
    expect(row(world)).toMatchObject({ _removed: true, _version: second.version, ttl });
    expect(row(world)).not.toHaveProperty('id');

    await consumed(world, handler, [third]);

    expect(row(world)).toMatchObject({ id: third.id });
    expect(row(world)).not.toHaveProperty('_removed');
    expect(row(world)).not.toHaveProperty('ttl');
  });

  it('writes nothing for skip', async () => {
    const world = aWorld();

    expect(
      await consumed(
        world,
        showing(world, () => ({ kind: 'skip' })),
        [first],
      ),
    ).toEqual([true]);
    expect(world.store.all('own')).toEqual([]);
  });

  it.each([
    ['as old', '01A', 1],
    ['of a newer version', '01A', 3],
    ['of a newer incarnation', '01B', 1],
  ])('refuses a key that is another job’s, %s, and names both', async (_, incarnation, events) => {
    const world = aWorld();
    const other = published(aJob('b', { events, incarnation })).at(-1) as Envelope;

    await consumed(world, showing(world, puts), [first, other]);

    expect(codes(world)).toEqual(['projection-key-shared']);
    expect(world.happenings.at(-1)).toMatchObject({
      failure: { facts: { job: other.subject, by: first.subject } },
    });
    expect(row(world)).toMatchObject({ id: first.id });
  });

  it('refuses a key where a row of somebody else is', async () => {
    const world = aWorld();
    await world.store.commit([{ table: 'own', key, when: [], kind: 'put', fields: { mine: 1 } }]);

    await consumed(world, showing(world, puts), [first]);

    expect(codes(world)).toEqual(['projection-key-shared']);
    expect(row(world)).toEqual({ ...key, mine: 1 });
  });

  it.each(['_job', '_incarnation', '_version', '_removed'])(
    'refuses a field %s, which is its own',
    async (field) => {
      const world = aWorld();
      const handler = showing(world, () => ({ kind: 'put', key, fields: { [field]: 1 } }));

      await consumed(world, handler, [first]);

      expect(codes(world)).toEqual(['projection-field-reserved']);
    },
  );

  it.each([
    ['nothing', undefined],
    ['another kind', { kind: 'add', key, add: { n: 1 } }],
    ['no key', { kind: 'put', fields: {} }],
    ['an empty key', { kind: 'put', key: { pk: '' }, fields: {} }],
    ['an empty sort key', { kind: 'remove', key: { pk: 'a', sk: '' } }],
  ])('refuses a change that is %s', async (_, change) => {
    const world = aWorld();

    await consumed(
      world,
      showing(world, () => change as never),
      [first],
    );

    expect(codes(world)).toEqual(['projection-change-invalid']);
    expect(world.store.all('own')).toEqual([]);
  });

  it.each([
    ['a name with a mark', { name: 'a#b' }],
    ['no table', { table: '' }],
    ['no code', { change: 1 }],
  ])('refuses at its definition %s', (_, over) => {
    const usual = { of: copyJob, name: 'a', table: 't', change: () => ({ kind: 'skip' }) };

    expect(() => snapshotProjection({ ...usual, ...over } as never)).toThrow(
      expect.objectContaining({ code: 'setting-invalid' }),
    );
  });
});
