import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  complete,
  createJobs,
  defineJob,
  jobHandler,
  minutes,
  type RelaySettings,
  relayHandler,
  seconds,
} from '../../lib/index.ts';
import type { Verdict } from '../../lib/ports/sender.ts';
import type { Write } from '../../lib/ports/store.ts';
import { type AWorld, aContext, anEvent, aRecord, aWorld } from './world.ts';

const countJob = defineJob({
  name: 'count',
  input: v.object({ n: v.number() }),
  run: async (job) => complete({ data: { n: job.input.n } }),
});

const sent: Verdict = { kind: 'sent' };
const outage: Verdict = { kind: 'outage', why: 'throttled' };
const refused: Verdict = { kind: 'refused', why: 'too large' };

const submit = (world: AWorld, intentId: string, groupId = intentId) =>
  createJobs(world).submit(countJob, { intentId, groupId, input: { n: 1 } });

const records = (world: AWorld): DynamoDBRecord[] =>
  world.stream.shards().flatMap((shard) => shard.records.splice(0).map(({ record }) => record));

const relay = (world: AWorld, batch: DynamoDBRecord[], settings: RelaySettings = {}) =>
  relayHandler(world, settings)({ Records: batch }, aContext(world));

const bodies = (world: AWorld) =>
  world.sent.map(({ entry }) => JSON.parse(entry.body) as Record<string, unknown>);
const positions = (batch: readonly DynamoDBRecord[]) =>
  batch.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');

describe('a relay', () => {
  it('sends a command to the queue of its job’s kind, in the job’s group, with a hash of its id', async () => {
    const world = aWorld();
    await submit(world, 'a', 'A');

    const response = await relay(world, records(world));

    expect(response).toEqual({ batchItemFailures: [] });
    expect(world.sent).toMatchObject([{ target: 'commands-count', entry: { group: 'A' } }]);
    expect(world.sent[0]?.entry.id).toMatch(/^[0-9a-f]{64}$/);
    expect(bodies(world)).toMatchObject([{ type: 'count.run', sequence: 1, intentid: 'a' }]);
  });

  it('uses the same ids whenever and by whomever it is run (case outbox 20, 21)', async () => {
    const world = aWorld();
    await submit(world, 'a');
    const batch = records(world);

    await relay(world, batch);
    await relay(world, batch);

    expect(new Set(world.sent.map(({ entry }) => entry.id)).size).toBe(1);
    expect(new Set(bodies(world).map(({ id }) => id)).size).toBe(1);
  });

  it('is not woken by claims, notes and its own ledger (trace H22, case outbox 24)', async () => {
    const world = aWorld();
    await submit(world, 'a');
    await relay(world, records(world));
    const command = world.sent[0]?.entry;

    await jobHandler(countJob, world)(
      anEvent(aRecord('A1', { body: command?.body ?? '', group: 'a' })),
      aContext(world),
    );
    const batch = records(world);
    const ringing = batch.filter(({ dynamodb }) => dynamodb?.NewImage?.['news'] !== undefined);

    expect(batch).toHaveLength(2);
    expect(ringing).toHaveLength(1);
    expect(batch.every(({ eventSourceARN }) => eventSourceARN?.includes('table/jobs'))).toBe(true);
  });

  it('stops at the lowest record that an outage left unpublished, and goes on with other groups', async () => {
    const world = aWorld();
    for (const intent of ['a', 'b', 'c']) await submit(world, intent);
    const batch = records(world);
    world.verdicts.push([sent, outage, sent], []);

    const response = await relay(world, batch);

    expect(response.batchItemFailures).toEqual([{ itemIdentifier: positions(batch)[1] }]);
    expect(world.sent).toHaveLength(2);
    expect(world.kinds()).toContain('publish-held');
  });

  it('believes only a proof for each entry: a reply that leaves one out leaves it unpublished (case outbox 1)', async () => {
    const world = aWorld();
    for (const intent of ['a', 'b']) await submit(world, intent);
    const batch = records(world);
    world.verdicts.push([sent]);

    const response = await relay(world, batch);

    expect(response.batchItemFailures).toEqual([{ itemIdentifier: positions(batch)[1] }]);
  });

  it('repeats a round that got no answer with the same ids before anything else', async () => {
    const world = aWorld();
    const entries: string[][] = [];
    const send = world.sender.send;
    world.sender.send = async (target, all) => {
      entries.push(all.map(({ id }) => id));
      return send(target, all);
    };
    await submit(world, 'a');
    const batch = records(world);
    world.verdicts.push([outage]);

    const response = await relay(world, batch);

    expect(entries).toHaveLength(2);
    expect(entries[0]).toEqual(entries[1]);
    expect(response.batchItemFailures).toEqual([]);
  });

  it('sets aside what a target will never take, with its body, and goes on (case outbox 18, 41, trace H12)', async () => {
    const world = aWorld();
    for (const intent of ['a', 'b']) await submit(world, intent);
    world.verdicts.push([refused, sent]);

    const response = await relay(world, records(world));

    const aside = world.store.all('ledger').find(({ pk }) => String(pk).startsWith('aside#'));
    expect(response.batchItemFailures).toEqual([]);
    expect(aside).toMatchObject({
      sk: expect.stringMatching(/#commands-count$/),
      group: 'a',
      why: 'too large',
    });
    expect(JSON.parse(String(aside?.['body']))).toMatchObject({ type: 'count.run' });
    expect(world.kinds()).toContain('event-set-aside');
  });

  it('holds what it can’t set aside either', async () => {
    const world = aWorld();
    await submit(world, 'a');
    const batch = records(world);
    world.verdicts.push([refused]);
    world.store.commit = async () => ({ kind: 'unknown' });

    const response = await relay(world, batch);

    expect(response.batchItemFailures).toEqual([{ itemIdentifier: positions(batch)[0] }]);
  });

  it('proves what it published in the ledger; a proof that can’t be written fails nothing (trace H21, case outbox 26)', async () => {
    const world = aWorld();
    await submit(world, 'a');
    const batch = records(world);
    const commit = world.store.commit.bind(world.store);
    const failing = {
      ...world,
      store: Object.assign(Object.create(world.store), {
        commit: async (writes: readonly Write[]) => {
          if (writes[0]?.table === 'ledger') throw new Error('throttled');
          return commit(writes);
        },
      }),
    };

    const unproved = await relayHandler(failing)({ Records: batch }, aContext(world));
    const proved = await relay(world, batch);

    expect([unproved, proved]).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    const ledger = world.store.all('ledger');
    expect(ledger).toContainEqual(
      expect.objectContaining({ published: { 'commands-count': [bodies(world)[0]?.['id']] } }),
    );
    expect(ledger).toContainEqual(expect.objectContaining({ pk: 'heartbeat' }));
  });

  it('hands back the rest when its time runs out', async () => {
    const world = aWorld();
    for (const intent of ['a', 'b']) await submit(world, intent);
    const batch = records(world);

    const response = await relayHandler(world)({ Records: batch }, aContext(world, seconds(1)));

    expect(response.batchItemFailures).toEqual([{ itemIdentifier: positions(batch)[0] }]);
    expect(world.sent).toEqual([]);
  });

  it('hands back the rows of a newer release', async () => {
    const world = aWorld();
    await submit(world, 'a');
    const [record] = records(world);
    const image = { ...record?.dynamodb?.NewImage, schema: { N: '2' } };
    const newer: DynamoDBRecord = { ...record, dynamodb: { ...record?.dynamodb, NewImage: image } };

    const response = await relay(world, [newer]);

    expect(response.batchItemFailures).toHaveLength(1);
    expect(world.sent).toEqual([]);
  });

  it('says how old what it published was', async () => {
    const world = aWorld();
    await submit(world, 'a');
    world.clock.step((world.clock.now() + minutes(10)) as never);

    await relay(world, records(world));

    expect(world.happenings).toContainEqual(
      expect.objectContaining({ kind: 'events-published', count: 1, oldest: minutes(10) }),
    );
  });

  it('shows the data of events as it was asked to; id, group and commands stay (case outbox 40)', async () => {
    const world = aWorld();
    await submit(world, 'a', 'A');
    await relay(world, records(world));
    const command = world.sent[0]?.entry;
    await jobHandler(countJob, world)(
      anEvent(aRecord('A1', { body: command?.body ?? '', group: 'A' })),
      aContext(world),
    );

    await relay(world, records(world), { shape: (event) => ({ shaped: event.type }) });

    expect(bodies(world)).toMatchObject([
      { type: 'count.run', data: {} },
      { type: 'count.succeeded', data: { shaped: 'count.succeeded' }, groupid: 'A' },
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no shape for this');
      },
    ],
    ['gives nothing, which must not publish what it was to hide', () => undefined],
    ['gives what JSON can’t carry', () => ({ n: 1n })],
    ['gives more than an event may carry', () => ({ text: 'x'.repeat(500_000) })],
  ])(
    'sets aside an event whose shape %s, instead of stopping the table’s stream',
    async (_, shape) => {
      const world = aWorld();
      await submit(world, 'a');
      await relay(world, records(world));
      const command = world.sent[0]?.entry;
      await jobHandler(countJob, world)(
        anEvent(aRecord('A1', { body: command?.body ?? '', group: 'a' })),
        aContext(world),
      );

      const response = await relay(world, records(world), { shape: shape as never });

      expect(response.batchItemFailures).toEqual([]);
      expect(world.store.all('ledger')).toContainEqual(
        expect.objectContaining({ sk: expect.stringMatching(/#events$/), code: 'shape-failed' }),
      );
    },
  );

  it('takes a sender that throws for an outage of its target, and no other target waits', async () => {
    const world = aWorld();
    const { send } = world.sender;
    await submit(world, 'a');
    await relay(world, records(world));
    await jobHandler(countJob, world)(
      anEvent(aRecord('A1', { body: world.sent[0]?.entry.body ?? '', group: 'a' })),
      aContext(world),
    );
    await submit(world, 'b');
    const batch = records(world);
    const events = batch.find(({ dynamodb }) => dynamodb?.NewImage?.['news']?.N === '2');
    world.sender.send = async (target, entries) => {
      if (target === 'events') throw new Error('socket hang up');
      return send(target, entries);
    };

    const response = await relay(world, batch);

    expect(response.batchItemFailures).toEqual([
      { itemIdentifier: events?.dynamodb?.SequenceNumber },
    ]);
    expect(world.sent.map(({ target }) => target)).toEqual(['commands-count', 'commands-count']);
    expect(world.store.all('ledger')).toContainEqual(
      expect.objectContaining({ published: { 'commands-count': [bodies(world)[1]?.['id']] } }),
    );
  });

  it('carries every character of an intent, also those that SQS replaces in a body', async () => {
    const world = aWorld();
    const intent = 'a\u0000\t\ufffe\uffff\u{1f600}';

    await submit(world, intent, 'A');
    await relay(world, records(world));

    expect(bodies(world)).toMatchObject([{ intentid: intent }]);
    expect(world.sent[0]?.entry.body).toMatch(/^[\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
  });

  it.each<[string, unknown]>([
    ['a queue’s event', { Records: [aRecord('A1')] }],
    ['no records', { detail: {} }],
    ['nothing', undefined],
  ])('refuses %s, whose messages a quiet response would lose', async (_, event) => {
    const world = aWorld();

    const relaying = relayHandler(world)(event as never, aContext(world));

    await expect(relaying).rejects.toMatchObject({ code: 'event-invalid' });
  });

  it('ignores records that are none of its business', async () => {
    const world = aWorld();
    const other = {
      dynamodb: { NewImage: { pk: { S: 'x' }, sk: { S: 'other' } }, SequenceNumber: '1' },
    };

    const response = await relay(world, [other, { dynamodb: { SequenceNumber: '2' } }, {}]);

    expect(response).toEqual({ batchItemFailures: [] });
    expect(world.sent).toEqual([]);
  });
});
