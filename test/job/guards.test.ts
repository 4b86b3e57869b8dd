import { describe, expect, it } from 'vitest';
import { type Bid, type ClaimStep, firstAsk, nextAsk } from '../../lib/job/claim.ts';
import { type Ending, ending } from '../../lib/job/ending.ts';
import { type JobRow, keyOf } from '../../lib/job/job.ts';
import { type Verb, verbStep } from '../../lib/job/operator.ts';
import { progressed, renewal } from '../../lib/job/progress.ts';
import { submission } from '../../lib/job/submit.ts';
import { swept } from '../../lib/job/swept.ts';
import { lengths } from '../../lib/kernel/settings.ts';
import { hours, later, minutes } from '../../lib/kernel/time.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import type { Row, Write } from '../../lib/ports/store.ts';
import { at, incarnation, queued, running } from './rows.ts';

const now = at(hours(2));
const lastLease = at(hours(2) - lengths.skew);
const bid: Bid = {
  id: queued().id,
  incarnation,
  attemptId: 'B',
  now,
  leaseUntil: later(now, minutes(1)),
  limits: { failures: 4, takeovers: 5, releases: 100, attempt: minutes(15) },
  finish: false,
};
const failure = { code: 'x', message: 'x', facts: {} };
const silent = { takeovers: 5, firstTakeoverAt: at(0) };

/** The fields by which a row can have moved away from what a write was decided from. */
const moves = {
  incarnation: { incarnation: '01K00000000000000000000000' },
  generation: { generation: 8 },
  version: { version: 8 },
  status: { status: 'elsewhere' },
  'cancel-request': { cancelRequestedAt: at(1) },
  schema: { schema: 2 },
  lease: { leaseUntil: lastLease },
  'lease-monotone': { leaseUntil: at(hours(3)) },
  takeovers: { takeovers: 4 },
  'crash-span': { firstTakeoverAt: at(hours(1)) },
  'sweep-at': { sweepAt: 8 },
} as const satisfies Record<string, Row>;

const asked = (step: ClaimStep): Write => {
  if (step.kind !== 'write') throw new Error(`no write: ${step.kind}`);
  return step.write;
};
const claim = (row: JobRow): Write => asked(nextAsk(bid, row as unknown as Row));
const end = (asked: Ending): Write => ending(running(), asked, { at: now, leavesOrphans: false });
const verb = (of: Verb, row: JobRow): Write => {
  const step = verbStep(of, row as unknown as Row, now);
  if (step.kind !== 'write') throw new Error(`no write: ${step.kind}`);
  return step.write;
};
const because = undefined;
const failed: JobRow = { ...queued({ generation: 1 }), status: 'failed', failure };
const asRead = ['incarnation', 'generation', 'status', 'version'] as const;
const fence = ['incarnation', 'generation', 'status'] as const;

const writes: readonly [string, JobRow, Write, readonly (keyof typeof moves)[]][] = [
  ['the first ask', queued(), asked(firstAsk(bid)), [...fence, 'cancel-request', 'schema']],
  [
    'the claim of a job that was put back',
    queued({ generation: 1 }),
    claim(queued({ generation: 1 })),
    [...fence, 'cancel-request'],
  ],
  ['a takeover', running(), claim(running()), [...fence, 'lease', 'cancel-request']],
  [
    'the end of a worn-out job',
    running(silent),
    claim(running(silent)),
    [...asRead, 'lease', 'takeovers', 'crash-span'],
  ],
  [
    'the end of a queued job whose cancellation was asked for',
    queued({ cancelRequestedAt: at(1) }),
    claim(queued({ cancelRequestedAt: at(1) })),
    asRead,
  ],
  [
    'the end of a silent owner’s job whose cancellation was asked for',
    running({ cancelRequestedAt: at(1) }),
    claim(running({ cancelRequestedAt: at(1) })),
    [...asRead, 'lease'],
  ],
  ['a completion', running(), end({ kind: 'succeeded', data: {} }), asRead],
  ['a failure', running(), end({ kind: 'failed', failure }), asRead],
  ['a cancellation', running(), end({ kind: 'cancelled' }), asRead],
  ['a worker’s release', running(), end({ kind: 'queued', spends: 'releases' }), asRead],
  ['a note', running(), progressed(running(), 1), fence],
  ['a renewal', running(), renewal(running(), at(hours(3))), [...fence, 'lease-monotone']],
  [
    'an operator’s cancel of a queued job',
    queued(),
    verb({ kind: 'cancel', force: false, because }, queued()),
    asRead,
  ],
  [
    'an operator’s request to cancel',
    running(),
    verb({ kind: 'cancel', force: false, because }, running()),
    asRead,
  ],
  [
    'an operator’s cancel by force',
    running(),
    verb({ kind: 'cancel', force: true, because }, running()),
    asRead,
  ],
  ['an operator’s release', running(), verb({ kind: 'release', because }, running()), asRead],
  ['an operator’s retry', failed, verb({ kind: 'retry', because }, failed), asRead],
  [
    'a sweep’s mark',
    queued({ generation: 1, sweepAt: 7 }),
    swept(queued({ generation: 1, sweepAt: 7 }), 7, { again: now, left: 0 }),
    ['generation', 'sweep-at'],
  ],
];

async function commitOn(row: Row, write: Write) {
  const store = new MemoryStore({ jobs: {} });
  const key = keyOf(bid.id);
  await store.commit([{ table: 'jobs', key, when: [], kind: 'put', fields: row }]);
  const before = store.peek('jobs', key);
  const commit = await store.commit([write]);
  return {
    commit,
    isUntouched: JSON.stringify(store.peek('jobs', key)) === JSON.stringify(before),
  };
}

describe.each(writes)('%s', (_, row, write, guards) => {
  it('is committed on the row that it was decided from', async () => {
    const { commit } = await commitOn(row as unknown as Row, write);

    expect(commit.kind).toBe('committed');
  });

  it.each(guards)('is refused by its guard %s alone, and changes nothing', async (guard) => {
    const moved = { ...row, ...moves[guard] } as unknown as Row;

    const { commit, isUntouched } = await commitOn(moved, write);

    expect(commit).toMatchObject({ kind: 'refused', at: 0 });
    expect(isUntouched).toBe(true);
  });

  it('rings the relay’s doorbell if it appends an event, and else takes the ringing away (trace H22)', async () => {
    const { commit } = await commitOn({ ...row, news: 1 } as unknown as Row, write);

    const { news, lastN, events } = commit.kind === 'committed' ? (commit.row ?? {}) : {};
    expect(news).toBe((events as unknown[]).length > 0 ? lastN : undefined);
  });

  it('has no guard beside these', () => {
    expect(new Set(write.when.map(({ why }) => why))).toEqual(new Set(guards));
  });
});

describe('a submission', () => {
  it('is refused where the job’s row is there', async () => {
    const { kind, intentId, groupId, inputHash } = queued();
    const write = submission({
      ...{ kind, intentId, groupId, inputHash },
      ...{ input: { text: '{}' }, incarnation, at: now },
    });

    const { commit, isUntouched } = await commitOn(queued() as unknown as Row, write);

    expect(commit).toMatchObject({ kind: 'refused', at: 0 });
    expect(isUntouched).toBe(true);
  });
});
