import { describe, expect, it } from 'vitest';
import type { GroupId, Instant } from '../../lib/kernel/brand.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { minutes, nothing, seconds } from '../../lib/kernel/time.ts';
import { FaultPlan, type Service, type Where } from '../../lib/local/faults.ts';
import { Gate } from '../../lib/local/gate.ts';
import { gatedWorld } from '../../lib/local/gated-world.ts';
import { type Point, pointsOf, pointsOfKey } from '../../lib/local/point.ts';
import type { Write } from '../../lib/ports/store.ts';
import type { World } from '../../lib/ports/world.ts';
import { aWorld } from '../handler/world.ts';
import { passes } from './queues.ts';

const key = { pk: 'job#a', sk: 'job' };
const inJobs = { table: tables.jobs, key, when: [] } as const;
const toStatus = (status: string): Write => ({ ...inJobs, kind: 'update', set: { status } });
const note: Write = { table: tables.care, key: { pk: 'a' }, when: [], kind: 'put', fields: {} };
const entry = { id: 'a', group: 'A' as GroupId, body: 'A1' };

/** Sandboxes of functions over one world, with one plan of faults. */
function aPlan() {
  const world = aWorld();
  const faults = new FaultPlan(world.clock);
  const activity = { count: 0 };
  const sandbox = (of = 'work', worker = 1) => {
    const gate = new Gate(of, worker, { faults, activity });
    const own = gatedWorld(world, { gate, faults, skew: 0, sleepers: { count: 0 } });
    return { gate, own };
  };
  return { world, faults, sandbox, clock: world.clock };
}

/** Whether a call comes to an end, as far as anyone can see now. */
async function ends(call: Promise<unknown>): Promise<boolean> {
  let ended = false;
  const settle = (): void => {
    ended = true;
  };
  call.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return ended;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('one');
}

const create = ({ bucket }: World, name = 'results/a') =>
  bucket.create(name, bytes(), { contentType: 'text/plain', attempt: 'first' });

describe('the points of a call', () => {
  it.each<[string, Write, readonly Point[]]>([
    ['a claim', toStatus('running'), ['claim', 'commit']],
    ['a release', toStatus('queued'), ['release', 'commit']],
    ['a success', toStatus('succeeded'), ['complete', 'commit']],
    ['a failure', toStatus('failed'), ['complete', 'commit']],
    ['a cancellation', toStatus('cancelled'), ['complete', 'commit']],
    ['a progress note', { ...inJobs, kind: 'update', set: { progress: 1 } }, ['commit']],
    ['a submission', { ...inJobs, kind: 'put', fields: { status: 'queued' } }, ['commit']],
    ['another table', note, ['commit']],
    ['the ledger', { ...note, table: tables.ledger }, ['ledger', 'commit']],
  ])('are read from its first write: %s', (_, write, points) => {
    expect(pointsOf([write, note])).toEqual(points);
  });

  it('are none for no write at all but the commit', () => {
    expect(pointsOf([])).toEqual(['commit']);
  });

  it('are a write for what lies with the results only', () => {
    expect(pointsOfKey('results/a/b')).toEqual(['write']);
    expect(pointsOfKey('inputs/a/b')).toEqual([]);
  });
});

describe('a crash', () => {
  it('before a call keeps its effect from happening', async () => {
    const { world, faults, sandbox } = aPlan();
    const { own, gate } = sandbox();
    faults.crash({ at: 'commit', when: 'before' });

    expect(await ends(own.store.commit([note]))).toBe(false);

    expect(gate.state).toBe('dead');
    expect(world.store.peek(tables.care, note.key)).toBeUndefined();
  });

  it('behind a call lets its effect happen, and nobody hear of it', async () => {
    const { world, faults, sandbox } = aPlan();
    const { own, gate } = sandbox();
    faults.crash({ at: 'commit', when: 'after' });

    expect(await ends(own.store.commit([note]))).toBe(false);

    expect(gate.state).toBe('dead');
    expect(world.store.peek(tables.care, note.key)).toBeDefined();
  });

  it('lets nothing of its sandbox happen afterwards, and strikes no other', async () => {
    const { world, faults, sandbox } = aPlan();
    const { own } = sandbox();
    faults.crash({ at: 'claim', when: 'before' });
    await ends(own.store.commit([toStatus('running')]));

    expect(await ends(own.store.commit([note]))).toBe(false);
    expect(await ends(own.sender.send('events', [entry]))).toBe(false);
    expect(await ends(own.clock.sleep(nothing))).toBe(false);
    expect(await ends(sandbox().own.store.commit([toStatus('running')]))).toBe(true);

    expect(world.sent).toEqual([]);
    expect(faults.strikes).toHaveLength(1);
  });
});

describe('a place to strike', () => {
  /** Which of these sandboxes' commits get stuck, in order. */
  const stuck = async (where: Where, ...sandboxes: readonly (readonly [string, number])[]) => {
    const { faults, sandbox } = aPlan();
    faults.crash(where);
    const found: string[] = [];
    for (const [of, worker] of sandboxes)
      if (!(await ends(sandbox(of, worker).own.store.commit([note]))))
        found.push(`${of} ${worker}`);
    expect(faults.strikes.map(({ where: at }) => at)).toEqual(found);
    return found;
  };
  const here = { at: 'commit', when: 'before' } as const;

  it.each<[string, Where, readonly string[]]>([
    ['any worker, once', here, ['a 1']],
    ['any worker, as often as it says', { ...here, times: 2 }, ['a 1', 'a 2']],
    ['never, with no times left', { ...here, times: 0 }, []],
    ['one worker, of whatever function', { ...here, worker: 2 }, ['a 2']],
    ['another point not at all', { ...here, at: 'claim' }, []],
    ['a step of one function’s worker', { step: 2, of: 'b', worker: 1 }, ['b 1']],
    ['no step that is not made', { step: 3, of: 'b', worker: 1 }, []],
    ['no step of a function that is not there', { step: 1, of: 'c', worker: 1 }, []],
  ])('is %s', async (_, where, struck) => {
    expect(await stuck(where, ['a', 1], ['a', 2], ['b', 1], ['b', 2])).toEqual(struck);
  });

  it('lies before and after every call, whatever the port', async () => {
    const { sandbox } = aPlan();
    const { own, gate } = sandbox();
    const steps = async (call: () => Promise<unknown>): Promise<number> => {
      const before = gate.steps;
      await call();
      return gate.steps - before;
    };

    expect(await steps(() => own.store.read(tables.care, note.key))).toBe(2);
    expect(await steps(() => own.store.commit([note]))).toBe(2);
    expect(await steps(() => own.sender.send('events', [entry]))).toBe(2);
    expect(await steps(() => own.visibility.hide('queue', []))).toBe(2);
    expect(await steps(() => own.bucket.head('a'))).toBe(2);
    expect(await steps(() => own.bucket.delete('a'))).toBe(2);
    expect(await steps(() => create(own))).toBe(4);
    expect(await steps(() => all(own.bucket.list('results/')))).toBe(2);
  });
});

describe('a freeze', () => {
  it('stops its worker until it is thawed, and both are recorded', async () => {
    const { world, faults, sandbox, clock } = aPlan();
    const { own, gate } = sandbox();
    const frozen = faults.freeze({ at: 'commit', when: 'before' });
    const commit = own.store.commit([note]);
    expect(await ends(commit)).toBe(false);
    const since = clock.now();
    passes(clock, minutes(20));

    frozen.thaw();

    expect(await commit).toMatchObject({ kind: 'committed' });
    expect(gate.state).toBe('open');
    expect(world.store.peek(tables.care, note.key)).toBeDefined();
    expect(faults.strikes).toEqual([
      { at: since, what: 'freeze', where: 'work 1' },
      { at: (since + minutes(20)) as Instant, what: 'thaw', where: 'work 1' },
    ]);
  });

  it('stops as many workers as it says, and thaws them together', async () => {
    const { faults, sandbox } = aPlan();
    const frozen = faults.freeze({ at: 'commit', when: 'before', times: 2 });
    const commits = [1, 2, 3].map((worker) => sandbox('work', worker).own.store.commit([note]));
    expect(await Promise.all(commits.map(ends))).toEqual([false, false, true]);

    frozen.thaw();

    expect(await Promise.all(commits.map(ends))).toEqual([true, true, true]);
  });

  it('that is thawed before it struck never strikes', async () => {
    const { faults, sandbox } = aPlan();

    faults.freeze({ at: 'commit', when: 'before' }).thaw();

    expect(await ends(sandbox().own.store.commit([note]))).toBe(true);
    expect(faults.strikes).toEqual([]);
  });
});

describe('a lost reply', () => {
  it('of a commit is unknown, and the commit has happened', async () => {
    const { world, faults, sandbox } = aPlan();
    faults.loseReply('complete');

    const answer = await sandbox().own.store.commit([toStatus('succeeded')]);

    expect(answer).toEqual({ kind: 'unknown' });
    expect(world.store.peek(tables.jobs, key)).toMatchObject({ status: 'succeeded' });
    expect(faults.strikes).toMatchObject([{ what: 'lost-reply', where: 'work 1' }]);
  });

  it('of a creation is unknown, and the object is there, as what was sent', async () => {
    const { world, faults, sandbox } = aPlan();
    faults.loseReply('write');

    const created = await create(sandbox().own);

    const { size, checksum } = (await world.bucket.head('results/a')) ?? {};
    expect(size).toBe(3);
    expect(created).toEqual({ kind: 'unknown', sent: { size, checksum } });
  });

  it('of a creation that was refused is unknown too, and says nothing of what was sent', async () => {
    const { world, faults, sandbox } = aPlan();
    await create(world);
    faults.loseReply('write');

    const created = await sandbox().own.bucket.create(
      'results/a',
      (async function* () {
        yield new Uint8Array(3);
      })(),
      { contentType: 'text/plain', attempt: 'B' },
    );

    expect(created).toEqual({ kind: 'unknown' });
  });

  it('of a sending is an outage for every entry, and all were sent', async () => {
    const { world, faults, sandbox } = aPlan();
    faults.loseReply('publish');
    const entries = [entry, { ...entry, id: 'b', group: 'B' as GroupId }];

    const verdicts = await sandbox().own.sender.send('events', entries);

    expect(verdicts.map(({ kind }) => kind)).toEqual(['outage', 'outage']);
    expect(world.sent).toHaveLength(2);
  });

  it('gets lost once, at its own point only', async () => {
    const { faults, sandbox } = aPlan();
    const { own } = sandbox();
    faults.loseReply('complete');

    const kinds: string[] = [];
    for (const status of ['running', 'succeeded', 'succeeded'])
      kinds.push((await own.store.commit([toStatus(status)])).kind);

    expect(kinds).toEqual(['committed', 'unknown', 'committed']);
  });

  it('gets lost as often as it was asked for', async () => {
    const { faults, sandbox } = aPlan();
    const { own } = sandbox();
    faults.loseReply('commit');
    faults.loseReply('commit');

    const kinds: string[] = [];
    for (let i = 0; i < 3; i++) kinds.push((await own.store.commit([note])).kind);

    expect(kinds).toEqual(['unknown', 'unknown', 'committed']);
  });
});

describe('an outage', () => {
  const calls: Record<string, { readonly of: Service; call(world: World): Promise<unknown> }> = {
    'a read': { of: 'dynamodb', call: ({ store }) => store.read(tables.care, note.key) },
    'a commit': { of: 'dynamodb', call: ({ store }) => store.commit([note]) },
    'a query': { of: 'dynamodb', call: ({ store }) => all(store.query(tables.care, { pk: 'a' })) },
    'a scan': {
      of: 'dynamodb',
      call: ({ store }) => all(store.scan(tables.care, { segment: 0, of: 1 })),
    },
    'a creation': { of: 's3', call: (world) => create(world, 'results/new') },
    'a look at an object': { of: 's3', call: ({ bucket }) => bucket.head('results/a') },
    'a download': { of: 's3', call: ({ bucket }) => all(bucket.open('results/a')) },
    'a list': { of: 's3', call: ({ bucket }) => all(bucket.list('results/')) },
    'a deletion': { of: 's3', call: ({ bucket }) => bucket.delete('results/a') },
  };
  const names = Object.entries(calls).map(([name, { of }]) => ({ name, of }));

  it.each(names)('of $of fails $name like the SDK, for its length', async ({ name, of }) => {
    const { faults, sandbox, clock, world } = aPlan();
    await create(world);
    const { own } = sandbox();
    const call = async () => calls[name]?.call(own);
    faults.outage(of, minutes(1));

    await expect(call()).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      $metadata: { httpStatusCode: 503 },
    });
    passes(clock, seconds(59));
    await expect(call()).rejects.toThrow(of);
    expect(world.store.peek(tables.care, note.key)).toBeUndefined();
    expect(await world.bucket.head('results/a')).toBeDefined();
    expect(await world.bucket.head('results/new')).toBeUndefined();

    passes(clock, seconds(1));
    await call();
    expect(faults.strikes).toMatchObject([{ what: 'outage', where: of }]);
  });

  it.each(names)('of another service leaves $name alone', async ({ name, of }) => {
    const { faults, sandbox, world } = aPlan();
    await create(world);
    for (const other of ['sqs', 'dynamodb', 's3', 'stream', 'lambda'] as const)
      if (other !== of) faults.outage(other, minutes(1));

    await calls[name]?.call(sandbox().own);
  });

  it('of sqs is told as outages, entry by entry, and sends and hides nothing', async () => {
    const { faults, sandbox, world, clock } = aPlan();
    const { own } = sandbox();
    const entries = [entry, { ...entry, id: 'b', group: 'B' as GroupId }];
    const hidings = [{ handle: 'h', length: seconds(1) }];
    faults.outage('sqs', minutes(1));

    const verdicts = await own.sender.send('events', entries);
    const hidden = await own.visibility.hide('queue', hidings);

    expect(verdicts.map(({ kind }) => kind)).toEqual(['outage', 'outage']);
    expect(hidden).toEqual(['outage']);
    expect(world.sent).toEqual([]);
    expect(world.hidden).toEqual([]);
    passes(clock, minutes(1));
    expect(await own.sender.send('events', [entry])).toEqual([{ kind: 'sent' }]);
    expect(await own.visibility.hide('queue', hidings)).toEqual(['hidden']);
  });

  it('loses no reply that was to be lost', async () => {
    const { faults, sandbox, clock } = aPlan();
    const { own } = sandbox();
    faults.loseReply('commit');
    faults.outage('dynamodb', minutes(1));
    await expect(own.store.commit([note])).rejects.toThrow();

    passes(clock, minutes(1));

    expect(await own.store.commit([note])).toEqual({ kind: 'unknown' });
  });

  it('tells who has to pause, and until when', () => {
    const told: unknown[] = [];
    const { clock } = aWorld();
    const faults = new FaultPlan(clock, (of, until) => told.push([of, until]));

    faults.outage('stream', minutes(2));

    expect(told).toEqual([['stream', clock.now() + minutes(2)]]);
  });
});
