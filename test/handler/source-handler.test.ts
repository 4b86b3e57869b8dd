import type { MSKEvent } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kafkaRecords } from '../../lib/handler/kafka-records.ts';
import { sourceHandler } from '../../lib/handler/source-handler.ts';
import { done, type Happening, type StreamMessage, type Turn } from '../../lib/index.ts';
import { handClock, left, ms, until } from './fifo-events.ts';
import { kafkaEvent, kafkaRecord } from './stream-events.ts';

/** A record of a batch, how long its code takes, and how it ends. */
interface Planned {
  readonly partition: number;
  readonly key: string | null;
  readonly gap: number;
  readonly takes: number;
  readonly end: 'done' | 'throw' | 'nothing' | 'never';
}

const plan: fc.Arbitrary<readonly Planned[]> = fc.array(
  fc.record({
    partition: fc.constantFrom(0, 1, 2),
    key: fc.constantFrom('a', 'b', '', null),
    gap: fc.integer({ min: 1, max: 3 }),
    takes: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 9_500 })),
    end: fc.oneof(
      { weight: 8, arbitrary: fc.constant('done' as const) },
      { weight: 1, arbitrary: fc.constantFrom('throw' as const, 'nothing' as const) },
      { weight: 1, arbitrary: fc.constant('never' as const) },
    ),
  }),
  { maxLength: 16 },
);

/** A planned record in its place: offsets rise in a partition, with gaps, and are the same in several. */
interface Stored extends Planned {
  readonly id: string;
  readonly offset: number;
  readonly group: string;
}

function stored(planned: readonly Planned[]): readonly Stored[] {
  const offsets = [0, 0, 0];
  return planned.map((it) => {
    const offset = (offsets[it.partition] ?? 0) + it.gap;
    offsets[it.partition] = offset;
    const group = `${it.partition} ${it.key === null ? 'none' : `"${it.key}"`}`;
    return { ...it, id: `t-${it.partition}:${offset}`, offset, group };
  });
}

const eventOf = (all: readonly Stored[]): MSKEvent =>
  kafkaEvent(
    ...all.map(({ partition, offset, key, id }) =>
      kafkaRecord(['t', partition, offset], { key, value: id }),
    ),
  );

/** What user code did, and when. */
interface Step {
  readonly id: string;
  readonly group: string;
  readonly at: number;
  readonly what: 'began' | 'done' | 'ended';
}

const isBegin = ({ what }: Step): boolean => what === 'began';
const begun = (steps: readonly Step[]): string[] => steps.filter(isBegin).map(({ id }) => id);

/** The last step before each begin of a group but its first. */
const aheadOfEach = (steps: readonly Step[]) =>
  steps.flatMap((step, i) => (isBegin(step) && i > 0 ? [steps[i - 1]?.what] : []));

/** Runs a batch until its response, with ten seconds left, and on for an hour: what was started and done in time, in order. */
async function handledBatch(all: readonly Stored[], concurrency: number) {
  const clock = handClock();
  const log: Step[] = [];
  const told: Happening[] = [];
  async function handle({ id }: StreamMessage<unknown, unknown, unknown>): Promise<never> {
    const record = all.find((it) => it.id === id);
    if (record === undefined) throw new Error(`nobody planned ${id}`);
    const { group, end, takes } = record;
    log.push({ id, group, at: clock.now(), what: 'began' });
    if (end === 'never') return new Promise(() => {});
    await clock.sleep(ms(takes));
    log.push({ id, group, at: clock.now(), what: end === 'done' ? 'done' : 'ended' });
    if (end === 'throw') throw new Error('no');
    return (end === 'done' ? done() : undefined) as never;
  }
  const handler = sourceHandler(
    { parse: String, concurrency, handle },
    { clock, observe: (happening) => void told.push(happening), records: kafkaRecords },
  );
  const pending = handler(eventOf(all), left(10_000));
  await until(clock, 10_000);
  const response = await pending;
  const given = structuredClone(response);
  await until(clock, 3_600_000);
  expect(response).toEqual(given);
  return { response, log, told };
}

const groupsOf = (all: readonly Stored[]) => [...new Set(all.map(({ group }) => group))];

describe('any batch of a topic, with failures and a deadline', () => {
  it('runs a prefix of each key, in order and one at a time, and starts nothing after the signal', async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 5 }), async (planned, concurrency) => {
        const all = stored(planned);
        const { log } = await handledBatch(all, concurrency);

        for (const group of groupsOf(all)) {
          const own = log.filter((it) => it.group === group);
          const ids = all.filter((it) => it.group === group).map(({ id }) => id);
          expect(begun(own)).toEqual(ids.slice(0, begun(own).length));
          expect(aheadOfEach(own)).toEqual(aheadOfEach(own).map(() => 'done'));
        }
        expect(Math.max(0, ...log.filter(isBegin).map(({ at }) => at))).toBeLessThan(8_000);
      }),
      { numRuns: 80 },
    );
  });

  it('goes on in each partition at the first record that wasn’t done in time, and in no other', async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 5 }), async (planned, concurrency) => {
        const all = stored(planned);
        const { response, log, told } = await handledBatch(all, concurrency);

        const finished = new Set(
          log.filter(({ what, at }) => what === 'done' && at < 9_000).map(({ id }) => id),
        );
        const expected = [0, 1, 2].flatMap((partition) => {
          const first = all.find((it) => it.partition === partition && !finished.has(it.id));
          return first ? [{ partition: `t-${partition}`, offset: first.offset }] : [];
        });
        const asked = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
        expect(asked).toHaveLength(expected.length);
        expect(asked).toEqual(expect.arrayContaining(expected));
        expect(told).toHaveLength(all.length);
      }),
      { numRuns: 80 },
    );
  });
});

describe('a batch of a stream that meets its deadline', () => {
  it('keeps what was done, tells running code to stop, and leaves what was not started', async () => {
    const clock = handClock();
    const turns: Turn[] = [];
    const told: string[] = [];
    const handler = sourceHandler(
      {
        parse: String,
        concurrency: 1,
        async handle({ key }, turn) {
          turns.push(turn);
          await clock.sleep(ms(key === 'slow' ? 60_000 : 100));
          return done();
        },
      },
      { clock, observe: ({ kind }) => void told.push(kind), records: kafkaRecords },
    );
    const records = ['quick', 'slow', 'quick', 'slow', 'late'].map((key, i) =>
      kafkaRecord(['t', 0, 2 * i], { key, value: key }),
    );

    const pending = handler(kafkaEvent(...records), left(10_000));
    await until(clock, 8_000);
    expect(turns[2]?.signal.reason).toMatchObject({ code: 'deadline' });
    await until(clock, 9_000);

    expect(await pending).toEqual({
      batchItemFailures: [{ itemIdentifier: { partition: 't-0', offset: 2 } }],
    });
    expect(told).toEqual([
      'message-done',
      'message-done',
      'message-out-of-time',
      'message-failed',
      'message-held-back',
    ]);
  });

  it('starts no code whose body took too long to read', async () => {
    const clock = handClock();
    let ran = false;
    const handler = sourceHandler(
      {
        async parse(text) {
          await clock.sleep(ms(9_500));
          return text;
        },
        async handle() {
          ran = true;
          return done();
        },
      },
      { clock, observe: () => {}, records: kafkaRecords },
    );

    const record = kafkaRecord(['t', 0, 3], { key: 'k', value: 'v' });
    const pending = handler(kafkaEvent(record), left(10_000));
    await until(clock, 20_000);

    expect((await pending).batchItemFailures).toHaveLength(1);
    expect(ran).toBe(false);
  });

  it('is refused where its margin leaves no time', async () => {
    const handler = sourceHandler(
      { parse: String, handle: async () => done() },
      { clock: handClock(), observe: () => {}, records: kafkaRecords },
    );

    await expect(handler(kafkaEvent(), left(2_000))).rejects.toMatchObject({
      code: 'margin-too-long',
    });
  });
});
