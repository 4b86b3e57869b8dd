import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../lib/kernel/time.ts';
import { type As, type Command, Life, type Way } from './life.ts';

const worker = fc.constantFrom(0, 1, 2);
const way = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Way>('arrives') },
  { weight: 1, arbitrary: fc.constantFrom<Way>('reply-lost', 'request-lost') },
);
const as = fc.oneof<fc.Arbitrary<As>[]>(
  fc.record({ kind: fc.constant('succeed'), promote: fc.constantFrom(0, 1) }),
  fc.constant({ kind: 'fail' }),
  fc.record({
    kind: fc.constant('put-back'),
    spends: fc.constantFrom('failures', 'releases', 'nothing'),
  }),
);
const because = undefined;

/** What happens, the usual more often than the rare. */
const command = fc.oneof<fc.WeightedArbitrary<Command>[]>(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('ask'), worker, way }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end'), worker, as, way }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upload'), worker }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('leave'),
      worker,
      promote: fc.constantFrom(0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('note'), worker, way }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('renew'),
      worker,
      by: fc.constantFrom(minutes(1), minutes(9)),
      way,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash'), worker }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('forward'),
      by: fc.constantFrom(seconds(1), minutes(6), hours(1)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('copy'), which: fc.constantFrom(0, 1, 2, 4) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('verb'),
      verb: fc.oneof(
        fc.record({
          kind: fc.constant('cancel'),
          force: fc.boolean(),
          because: fc.constant(because),
        }),
        fc.record({ kind: fc.constantFrom('release', 'retry'), because: fc.constant(because) }),
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('look', 'sweep-look', 'sweep', 'submit', 'remake'),
    }),
  },
);

/** A life: how much each worker's clock is off, and what happens. */
const lives = fc.record({
  off: fc.tuple(
    fc.constant(0),
    fc.constantFrom(0, seconds(1), -seconds(1)),
    fc.constantFrom(0, hours(1), -minutes(20)),
  ),
  commands: fc.array(command, { minLength: 1, maxLength: 60, size: 'max' }),
});

async function lived(
  { off, commands }: { readonly off: readonly number[]; readonly commands: readonly Command[] },
  without: readonly string[] = [],
): Promise<Life> {
  const life = new Life(off, without);
  await life.run({ kind: 'submit' });
  for (const each of commands) await life.run(each);
  return life;
}

describe('a job’s life', () => {
  it('keeps the fence’s invariants I1 to I11 and I14 to I16, whatever happens and in whatever order (case fencing 58)', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (plan) => {
        const life = await lived(plan);
        await life.settle();
        expect(life.broken).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('meets every answer that there is', async () => {
    const seen = new Set<string>();
    for (const plan of fc.sample(lives, { numRuns: 500, seed: 7 }))
      for (const answer of (await lived(plan)).seen) seen.add(answer);

    expect([...seen].sort()).toEqual([
      'answer already-mine',
      'answer cancelled',
      'answer committed',
      'answer done-by-other',
      'answer moved',
      'answer superseded',
      'answer unknown',
      'claim cancelled',
      'claim finished',
      'claim finished-for',
      'claim gone',
      'claim granted',
      'claim held',
      'claim mine',
      'claim worn-out',
      'verb already',
      'verb finished',
      'verb write',
    ]);
  });
});

/** What is left of the guards covers `takeovers` and `crash-span` here, and `sweep-at` too: their own tests hold them alone. */
describe('a job’s life without one of its guards', () => {
  it.each<[string, string]>([
    ['absent', 'I6: generation and version rise by at most one, and never fall'],
    ['incarnation', 'I2: only the owner of the row’s generation writes as an owner'],
    ['generation', 'I2: only the owner of the row’s generation writes as an owner'],
    ['version', 'H7: after the request an owner completes or is cancelled, nothing else'],
    ['status', 'I3: final is final, but for an operator’s retry of a failed job'],
    ['cancel-request', 'H7: no claim is granted once the cancellation was asked for'],
    ['lease', 'a takeover waits until the lease is over by more than clocks differ'],
    ['lease-monotone', 'I7: inside a generation the lease is never shortened'],
  ])('breaks: %s', async (guard, promise) => {
    const keeps = fc.asyncProperty(
      lives,
      async (plan) => !(await lived(plan, [guard])).broken.includes(promise),
    );

    const { failed } = await fc.check(keeps, { seed: 7, numRuns: 4_000, endOnFailure: true });

    expect(failed).toBe(true);
  });
});
