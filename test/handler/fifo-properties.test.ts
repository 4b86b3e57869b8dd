import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  done,
  fifoHandler,
  type MessageAnswer,
  minutes,
  retryLater,
  seconds,
} from '../../lib/index.ts';
import { batch, endless, handClock, kept, left, QueueWorld, until } from './fifo-events.ts';

type End = 'done' | 'throw' | 'later' | 'nothing';

/** A message of a batch, and how its code ends. */
interface Planned {
  readonly name: string;
  readonly end: End;
}

const ends: Record<End, () => MessageAnswer> = {
  done,
  later: () => retryLater({ after: minutes(1) }),
  nothing: () => undefined as never,
  throw: () => {
    throw new Error('no');
  },
};

const end = fc.oneof(
  { weight: 4, arbitrary: fc.constant<End>('done') },
  { weight: 2, arbitrary: fc.constantFrom<End>('throw', 'later', 'nothing') },
);

/** At most ten messages in at most four groups, numbered inside their group, in any mixture. */
const plans = fc
  .array(fc.record({ group: fc.constantFrom('A', 'B', 'C', 'D'), end }), { maxLength: 10 })
  .map((all) => {
    const count: Record<string, number> = {};
    return all.map(({ group, end }): Planned => {
      count[group] = (count[group] ?? 0) + 1;
      return { name: group + count[group], end };
    });
  });

const named = (plan: readonly Planned[]) => batch(...plan.map(({ name }) => name));
const groupOf = (name: string): string => name.slice(0, 1);
const ofGroup = (group: string) => (name: string) => groupOf(name) === group;
const groupsOf = (plan: readonly Planned[]) => [...new Set(plan.map(({ name }) => groupOf(name)))];

/** The names of a group up to its first one that isn't done. */
function expected(plan: readonly Planned[], group: string) {
  const own = plan.filter(({ name }) => groupOf(name) === group);
  const stop = own.findIndex(({ end }) => end !== 'done');
  const names = own.map(({ name }) => name);
  return stop < 0
    ? { runs: names, acknowledged: names }
    : { runs: names.slice(0, stop + 1), acknowledged: names.slice(0, stop) };
}

/** Runs a batch in the interleaving that the scheduler chooses; `most` is how many messages ran at once. */
async function interleaved(s: fc.Scheduler, plan: readonly Planned[], concurrency: number) {
  const ran: string[] = [];
  const running = new Set<string>();
  let overlap = false;
  let most = 0;
  const handler = fifoHandler(
    {
      parse: String,
      poison: 'block',
      concurrency,
      async handle({ id, group }) {
        overlap ||= running.has(group);
        running.add(group);
        most = Math.max(most, running.size);
        ran.push(id);
        await s.schedule(Promise.resolve(), id);
        running.delete(group);
        return ends[plan.find(({ name }) => name === id)?.end ?? 'done']();
      },
    },
    new QueueWorld(handClock()),
  );
  const response = await s.waitFor(handler(named(plan), endless));
  const keeps = kept(response);
  const acknowledged = plan.map(({ name }) => name).filter((name) => !keeps.includes(name));
  return { ran, keeps, acknowledged, overlap, most };
}

const batches = fc.tuple(fc.scheduler(), plans, fc.integer({ min: 1, max: 10 }));

describe('any batch, in any interleaving', () => {
  it('runs a prefix of each group, in order (i), and acknowledges exactly what was done (ii)', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async ([s, plan, concurrency]) => {
        const { ran, acknowledged } = await interleaved(s, plan, concurrency);

        for (const group of groupsOf(plan)) {
          const right = expected(plan, group);
          expect(ran.filter(ofGroup(group))).toEqual(right.runs);
          expect(acknowledged.filter(ofGroup(group))).toEqual(right.acknowledged);
        }
      }),
    );
  });

  it('keeps only ids of the batch, each once, and all that is not acknowledged (iii)', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async ([s, plan, concurrency]) => {
        const { keeps, acknowledged } = await interleaved(s, plan, concurrency);

        expect([...keeps, ...acknowledged].sort()).toEqual(plan.map(({ name }) => name).sort());
      }),
    );
  });

  it('never runs two messages of a group at once (iv), nor more groups than it may', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async ([s, plan, concurrency]) => {
        const { overlap, most } = await interleaved(s, plan, concurrency);

        expect(overlap).toBe(false);
        expect(most).toBe(Math.min(concurrency, groupsOf(plan).length));
      }),
    );
  });

  it('lets no group change what becomes of another (v)', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.scheduler(), async ([s, plan, concurrency], alone) => {
        const together = await interleaved(s, plan, concurrency);

        for (const group of groupsOf(plan)) {
          const own = plan.filter(({ name }) => groupOf(name) === group);
          const { keeps } = await interleaved(alone, own, concurrency);
          expect(together.keeps.filter(ofGroup(group))).toEqual(keeps);
        }
      }),
    );
  });
});

/** How long each message of a batch takes on its clock, and how it ends; a deadline comes after ten seconds. */
const timed = fc.tuple(
  plans,
  fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 10, maxLength: 10 }),
);

describe('any batch that meets its deadline', () => {
  it('has a response that nothing changes any more, however late code ends (vi)', async () => {
    await fc.assert(
      fc.asyncProperty(timed, async ([plan, lengths]) => {
        const clock = handClock();
        const world = new QueueWorld(clock);
        const handler = fifoHandler(
          {
            parse: String,
            poison: 'block',
            margin: seconds(2),
            async handle({ id }) {
              const i = plan.findIndex(({ name }) => name === id);
              await clock.sleep(lengths[i] as Parameters<typeof clock.sleep>[0]);
              return ends[plan[i]?.end ?? 'done']();
            },
          },
          world,
        );

        const pending = handler(named(plan), left(10_000));
        await until(clock, 10_000);
        const response = await pending;
        const before = structuredClone(response);
        const told = world.log;
        const hidden = world.visibility.calls.length;
        await until(clock, 300_000);

        expect(response).toEqual(before);
        expect(world.log).toEqual(told);
        expect(world.visibility.calls).toHaveLength(hidden);
        expect(told).toHaveLength(plan.length);
        const acknowledged = plan.filter(({ name }) => !kept(response).includes(name));
        expect(acknowledged.map(({ end }) => end)).toEqual(acknowledged.map(() => 'done'));
        for (const group of groupsOf(plan)) {
          const own = plan.map(({ name }) => name).filter(ofGroup(group));
          const done = own.filter((name) => told.includes(`message-done ${name}`));
          expect(done).toEqual(own.slice(0, done.length));
          expect(own.filter((name) => kept(response).includes(name))).toEqual(
            own.slice(done.length),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a group over many deliveries', () => {
  it('succeeds in the order of its sequence numbers (vii)', async () => {
    const failures = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 10, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(plans, failures, fc.scheduler(), async (plan, times, s) => {
        const left = new Map(plan.map(({ name }, i) => [name, times[i] ?? 0]));
        const succeeded: string[] = [];
        const handler = fifoHandler({
          parse: String,
          observe: () => {},
          async handle({ id }) {
            await s.schedule(Promise.resolve(), id);
            const more = left.get(id) ?? 0;
            left.set(id, more - 1);
            if (more > 0) throw new Error('not yet');
            succeeded.push(id);
            return done();
          },
        });

        let queue = plan;
        for (let delivery = 0; queue.length > 0 && delivery < 100; delivery++) {
          const keeps = kept(await s.waitFor(handler(named(queue), endless)));
          queue = queue.filter(({ name }) => keeps.includes(name));
        }

        for (const group of groupsOf(plan))
          expect(succeeded.filter(ofGroup(group))).toEqual(
            plan.map(({ name }) => name).filter(ofGroup(group)),
          );
      }),
    );
  });
});
