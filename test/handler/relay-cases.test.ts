import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createJobs, fail, jobHandler, relayHandler, seconds } from '../../lib/index.ts';
import type { Verdict } from '../../lib/ports/sender.ts';
import { commandOf, commands, countJob } from './count-job.ts';
import { type AWorld, aContext, anEvent, aWorld } from './world.ts';

const fails = countJob(async () => fail('no', 'no'));

const recordsOf = (world: AWorld): DynamoDBRecord[] =>
  world.stream.shards().flatMap((shard) => shard.records.splice(0).map(({ record }) => record));

/** Submits a job for each name and answers the records that say so, in order. */
async function submitted(world: AWorld, names: readonly string[]): Promise<DynamoDBRecord[]> {
  for (const name of names)
    await createJobs(world).submit(fails, {
      intentId: name,
      groupId: name.slice(0, 1),
      input: { n: 1 },
    });
  const records = recordsOf(world);
  return names.map((name) => {
    const { pk } = world.job('count', name);
    const found = records.find(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S === pk);
    if (found === undefined) throw new Error(`the stream does not show ${name}`);
    return found;
  });
}

const relay = (world: AWorld, Records: readonly DynamoDBRecord[]) =>
  relayHandler(world)({ Records: [...Records] }, aContext(world));

const intents = (world: AWorld): string[] =>
  world.sent.map(({ entry }) => JSON.parse(entry.body).intentid);

/** Takes everything but what `poison` names, as a target does that will never take it. */
function refusing(world: AWorld, poison: (intent: string) => boolean): void {
  const { send } = world.sender;
  world.sender.send = async (target, entries) => {
    const verdicts = entries.map(
      ({ body }): Verdict =>
        poison(JSON.parse(body).intentid)
          ? { kind: 'refused', why: 'too large' }
          : { kind: 'sent' },
    );
    world.verdicts.push([...verdicts]);
    return send(target, entries);
  };
}

describe('a relay', () => {
  it('sends 26 events of one job in order, one in each request (case outbox 15, 34)', async () => {
    const world = aWorld();
    await commands(world, fails, 'A1');
    for (let i = 0; i < 12; i++) {
      await jobHandler(fails, world)(anEvent(commandOf(world, 'A1')), aContext(world));
      await createJobs(world).retry(fails, 'A1');
      await relay(world, recordsOf(world));
    }
    await jobHandler(fails, world)(anEvent(commandOf(world, 'A1')), aContext(world));
    const { OldImage, ...whole } = recordsOf(world).at(-1)?.dynamodb ?? {};
    const sizes: number[] = [];
    const { send } = world.sender;
    world.sender.send = (target, entries) => {
      sizes.push(entries.length);
      return send(target, entries);
    };
    world.sent.length = 0;

    await relay(world, [{ dynamodb: whole }]);

    expect(OldImage).toBeDefined();
    expect(new Set(sizes)).toEqual(new Set([1]));
    for (const target of ['commands-count', 'events'])
      expect(
        world.sent
          .filter((it) => it.target === target)
          .map(({ entry }) => JSON.parse(entry.body).sequence),
      ).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
  });

  it('lets nothing of a group pass an event that its target refuses, and no other group wait (case outbox 32)', async () => {
    const world = aWorld();
    refusing(world, (intent) => intent === 'A1');
    const batch = await submitted(world, ['A1', 'A2', 'B1']);

    const first = await relay(world, batch);
    const after = intents(world);
    const second = await relay(world, batch.slice(1));

    expect(first.batchItemFailures).toEqual([
      { itemIdentifier: batch[1]?.dynamodb?.SequenceNumber },
    ]);
    expect(after).toEqual(['B1']);
    expect(second.batchItemFailures).toEqual([]);
    expect(intents(world)).toContain('A2');
    expect(world.store.all('ledger')).toContainEqual(
      expect.objectContaining({ sk: expect.stringMatching(/#commands-count$/), group: 'A' }),
    );
  });

  it.each([
    ['one group that is refused and a hundred good ones (case outbox 38)', 1, 100],
    ['ten groups that are refused and one good one (case outbox 39)', 10, 1],
  ])('publishes all that is good in one pass, of %s', async (_, bad, good) => {
    const world = aWorld();
    refusing(world, (intent) => intent.endsWith('bad'));
    const named = (count: number, end: string) =>
      Array.from({ length: count }, (_, i) => `${String.fromCodePoint(0x100 + i)}${end}`);
    const jobs = createJobs(world);
    for (const name of [...named(bad, 'bad'), ...named(good, 'good')])
      await jobs.submit(fails, { intentId: name, input: { n: 1 } });

    const response = await relay(world, recordsOf(world));

    expect(response).toEqual({ batchItemFailures: [] });
    expect(world.sent).toHaveLength(good);
    const asides = world.store.all('ledger').filter(({ pk }) => String(pk).startsWith('aside#'));
    expect(asides).toHaveLength(bad);
  });

  it('proves in the ledger only what its target has accepted (case outbox 3)', async () => {
    const world = aWorld();
    const batch = await submitted(world, ['A1', 'B1']);
    world.verdicts.push([{ kind: 'sent' }, { kind: 'outage', why: 'throttled' }]);

    const response = await relay(world, batch);

    const proofs = world.store.all('ledger').filter(({ pk }) => String(pk).startsWith('relay#'));
    expect(proofs).toMatchObject([
      { published: { 'commands-count': [JSON.parse(world.sent[0]?.entry.body ?? '').id] } },
    ]);
    expect(proofs).toHaveLength(1);
    expect(response.batchItemFailures).toEqual([
      { itemIdentifier: batch[1]?.dynamodb?.SequenceNumber },
    ]);
  });

  it('takes no time left for what it is, and not for endless (case outbox 29)', async () => {
    const world = aWorld();
    const batch = await submitted(world, ['A1']);

    const response = await relayHandler(world)({ Records: batch }, aContext(world, seconds(0)));

    expect(response.batchItemFailures).toHaveLength(1);
    expect(world.sent).toEqual([]);
  });
});
