import { describe, expect, it } from 'vitest';
import {
  days,
  done,
  fifoHandler,
  minutes,
  permanent,
  retryLater,
  type World,
} from '../../lib/index.ts';
import { type Laptop, type LaptopSettings, startLaptop } from '../../lib/local/index.ts';

interface Code {
  readonly runs: string[];
  /** Bodies that fail, as long as they are in it. */
  readonly bad: Set<string>;
  readonly takes?: number;
  readonly later?: Set<string>;
}

/** A queue that parks; each message adds itself to a list in a table, in one commit with its inbox entry. */
const parking = (code: Code) => (world: World) =>
  fifoHandler(
    {
      parse: (text) => String(JSON.parse(text)),
      poison: 'park',
      async handle({ body, group }) {
        code.runs.push(body);
        await world.clock.sleep((code.takes ?? 1) as never);
        if (code.bad.has(body)) throw permanent('bad', `${body.slice(0, 20)} is bad`);
        if (code.later?.delete(body)) return retryLater({ after: minutes(1) });
        return done({
          writes: [
            {
              table: 'own',
              key: { pk: group, sk: 'list' },
              when: [],
              kind: 'update',
              append: { all: [body.slice(0, 20)] },
            },
          ],
        });
      },
    },
    world,
  );

const started = (code: Code, more: Partial<LaptopSettings<'orders.fifo', 'moved'>> = {}) =>
  startLaptop({ queues: { 'orders.fifo': parking(code) }, tables: ['own'], ...more });

type Orders = Laptop<'orders.fifo'>;

async function sent(laptop: Orders, ...bodies: readonly string[]) {
  for (const body of bodies)
    await laptop.queue('orders.fifo').send(body, { group: body.slice(0, 1) });
}

const group = (laptop: Orders, name = 'A') =>
  laptop.row('care', { pk: `group#orders.fifo#${name}`, sk: 'state' });
const effects = (laptop: Orders, name = 'A') =>
  laptop.row('own', { pk: name, sk: 'list' })?.['all'] ?? [];
const named = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `A${String(from + i).padStart(4, '0')}`);

describe('a group with a poison message', () => {
  it('is parked with all that follows in it, and no other group is (case outbox 32)', async () => {
    const code = { runs: [], bad: new Set(['A1']) };
    await using laptop = await started(code);

    await sent(laptop, 'A1', 'A2', 'B1', 'A3');
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });
    await sent(laptop, 'A4', 'B2');
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(code.runs).toEqual(['A1', 'B1', 'B2']);
    expect(group(laptop)).toMatchObject({ state: 'parked', parked: 4, code: 'bad' });
    expect(effects(laptop, 'B')).toEqual(['B1', 'B2']);
    expect(laptop.happenings('group-parked')).toHaveLength(1);
    expect(laptop.happenings('message-parked').map(({ failure }) => failure.code)).toEqual([
      'bad',
      'behind-parked',
      'behind-parked',
      'behind-parked',
    ]);
  });

  it('goes on in order once it is released, and is open then (case outbox 37)', async () => {
    const code = { runs: [] as string[], bad: new Set(['A1']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1', 'A2', 'A3');
    await laptop.settle();

    code.bad.clear();
    await laptop.queue('orders.fifo').release('A');
    await sent(laptop, 'A4');
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(code.runs).toEqual(['A1', 'A1', 'A2', 'A3', 'A4']);
    expect(effects(laptop)).toEqual(['A1', 'A2', 'A3', 'A4']);
    expect(group(laptop)).toMatchObject({ state: 'open', parked: 0 });
    expect(laptop.happenings('group-released')).toMatchObject([{ group: 'A', waiting: 0 }]);
  });

  it('stays parked where its replay fails again, with the new reason', async () => {
    const code = { runs: [] as string[], bad: new Set(['A1', 'A2']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1', 'A2', 'A3');
    await laptop.settle();

    code.bad.delete('A1');
    await laptop.queue('orders.fifo').release('A');
    await laptop.settle();

    expect(code.runs).toEqual(['A1', 'A1', 'A2']);
    expect(group(laptop)).toMatchObject({ state: 'parked', parked: 2, why: 'A2 is bad' });
  });

  it.each([
    ['handles its first message alone', {}, ['A1'], ['A1', 'A1']],
    ['drops its first message alone', { drop: 'wrong customer' }, [], ['A1']],
  ])('%s when that is asked for', async (_, more, effect, runs) => {
    const code = { runs: [] as string[], bad: new Set(['A1']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1', 'A2', 'A3');
    await laptop.settle();

    code.bad.clear();
    await laptop.queue('orders.fifo').release('A', { of: 'message', ...more });
    await laptop.settle();

    expect(code.runs).toEqual(runs);
    expect(effects(laptop)).toEqual(effect);
    expect(group(laptop)).toMatchObject({ state: 'parked', parked: 2 });
  });

  it('is dropped with a reason, which is kept, and opens', async () => {
    const code = { runs: [] as string[], bad: new Set(['A1']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1', 'A2');
    await laptop.settle();

    await laptop.queue('orders.fifo').release('A', { drop: 'sent by mistake' });
    await laptop.settle();
    await sent(laptop, 'A3');
    await laptop.settle();

    expect(code.runs).toEqual(['A1', 'A3']);
    expect(group(laptop)).toMatchObject({ state: 'open', parked: 0 });
    expect(laptop.happenings('message-dropped')).toMatchObject([
      { because: 'sent by mistake' },
      { because: 'sent by mistake' },
    ]);
    const rows = laptop.world.store.query('care', {
      pk: 'group#orders.fifo#A',
      from: 'dropped#',
      most: 2,
    });
    const kept: unknown[] = [];
    for await (const { because, text } of rows) kept.push([because, JSON.parse(String(text)).body]);
    expect(kept).toEqual([
      ['sent by mistake', '"A1"'],
      ['sent by mistake', '"A2"'],
    ]);
  });

  it('has its release done where it is open (trace H14)', async () => {
    const code = { runs: [] as string[], bad: new Set<string>() };
    await using laptop = await started(code);

    await laptop.queue('orders.fifo').release('A');
    await sent(laptop, 'A1');
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(code.runs).toEqual(['A1']);
    expect(group(laptop)).toBeUndefined();
  });

  it('is parked, released and parked again within five minutes (case fifo 31)', async () => {
    const code = { runs: [] as string[], bad: new Set(['A1', 'A2']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1');
    await laptop.settle();
    for (let times = 0; times < 3; times++) {
      await laptop.queue('orders.fifo').release('A');
      await laptop.settle();
    }
    code.bad.delete('A1');
    await laptop.queue('orders.fifo').release('A');
    await laptop.settle();
    await sent(laptop, 'A2');
    await laptop.settle();

    expect(code.runs).toEqual(['A1', 'A1', 'A1', 'A1', 'A1', 'A2']);
    expect(group(laptop)).toMatchObject({ state: 'parked', parked: 1, why: 'A2 is bad' });
  });

  it('keeps a body above what a row takes in the bucket, and gives it back whole', async () => {
    const large = `A${'x'.repeat(900_000)}`;
    const code = { runs: [] as string[], bad: new Set([large]) };
    await using laptop = await started(code);
    await sent(laptop, large);
    await laptop.settle();

    code.bad.clear();
    await laptop.queue('orders.fifo').release('A');
    await laptop.settle();

    expect(code.runs.map((body) => body === large)).toEqual([true, true]);
    expect(effects(laptop)).toHaveLength(1);
    const left: string[] = [];
    for await (const key of laptop.world.bucket.list('parked/')) left.push(key);
    expect(left).toEqual([]);
  });

  it('holds its release back as long as a replay asks', async () => {
    const code = { runs: [] as string[], bad: new Set(['A1']), later: new Set(['A1']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1', 'A2');
    await laptop.settle();

    code.bad.clear();
    await laptop.queue('orders.fifo').release('A');
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(code.runs).toEqual(['A1', 'A1', 'A1', 'A2']);
    expect(effects(laptop)).toEqual(['A1', 'A2']);
  });

  it('waits for its release for as long as it takes', async () => {
    const code = { runs: [] as string[], bad: new Set(['A1']) };
    await using laptop = await started(code);
    await sent(laptop, 'A1', 'A2');
    await laptop.settle();

    await laptop.clock.forward(days(60));
    code.bad.clear();
    await laptop.queue('orders.fifo').release('A');
    await laptop.settle();

    expect(effects(laptop)).toEqual(['A1', 'A2']);
  });
});

describe('a release', () => {
  it('goes on in the next invocation where its time is over', async () => {
    const code = { runs: [] as string[], bad: new Set(['A0000']), takes: 10_000 };
    await using laptop = await started(code);
    await sent(laptop, ...named(0, 20));
    await laptop.settle();

    code.bad.clear();
    await laptop.queue('orders.fifo').release('A');
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(effects(laptop)).toEqual(named(0, 20));
    expect(group(laptop)).toMatchObject({ state: 'open', parked: 0 });
  });

  it('under traffic, and with twenty crashes, handles all in order and each with one effect', async () => {
    const code = { runs: [] as string[], bad: new Set(['A0000']) };
    await using laptop = await started(code, { workers: 3 });
    await sent(laptop, 'A0000');
    await laptop.settle();
    await sent(laptop, ...named(1, 200));
    await laptop.settle();
    expect(group(laptop)).toMatchObject({ state: 'parked', parked: 201 });

    code.bad.clear();
    await laptop.queue('orders.fifo').release('A');
    for (let crash = 0; crash < 20; crash++) {
      laptop.faults.crash({ at: 'commit', when: crash % 2 === 0 ? 'before' : 'after' });
      await sent(laptop, ...named(201 + crash * 10, 10));
      await laptop.clock.forward(minutes(7));
    }
    expect(await laptop.settle()).toEqual({ kind: 'quiet' });

    expect(laptop.strikes().filter(({ what }) => what === 'crash')).toHaveLength(20);
    expect(effects(laptop)).toEqual(named(0, 401));
    expect(group(laptop)).toMatchObject({ state: 'open', parked: 0 });
    expect(laptop.queue('orders.fifo').deadLetters()).toEqual([]);
  });

  it('survives a crash at each step of the parking and of the release', async () => {
    for (let step = 1; ; step++) {
      const code = { runs: [] as string[], bad: new Set(['A0']) };
      await using laptop = await started(code, { workers: 1 });
      laptop.faults.crash({ step, of: 'orders', worker: 1 });
      await sent(laptop, 'A0', 'A1', 'A2');
      await laptop.settle();
      code.bad.clear();
      await laptop.queue('orders.fifo').release('A');
      await sent(laptop, 'A3');
      expect(await laptop.settle()).toEqual({ kind: 'quiet' });

      expect(effects(laptop)).toEqual(['A0', 'A1', 'A2', 'A3']);
      expect(group(laptop)).toMatchObject({ state: 'open', parked: 0 });
      if (laptop.strikes().length > 0) continue;
      expect(step).toBeGreaterThan(30);
      break;
    }
  });
});
