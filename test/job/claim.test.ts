import { describe, expect, it } from 'vitest';
import { afterLook, type Bid, firstAsk, nextAsk } from '../../lib/job/claim.ts';
import type { JobRow } from '../../lib/job/job.ts';
import { jobId } from '../../lib/job/job-id.ts';
import { hours, minutes } from '../../lib/kernel/time.ts';
import type { Row } from '../../lib/ports/store.ts';
import { at, incarnation, queued, running } from './rows.ts';

const bid = (over: Partial<Bid> = {}): Bid => ({
  id: jobId('export', 'a'),
  incarnation,
  attemptId: 'B',
  now: at(0),
  leaseUntil: at(67_000),
  limits: { failures: 4, takeovers: 5, releases: 100, attempt: minutes(15) },
  finish: false,
  ...over,
});

const row = (job: JobRow): Row => ({ ...job }) as unknown as Row;
const why = (step: ReturnType<typeof nextAsk>) =>
  step.kind === 'write' ? step.write.when.map((guard) => guard.why) : [];

describe('the first ask for a job', () => {
  it('is one write, guarded by incarnation, generation 0, status, no cancel request and a known schema, without a mark for the sweeper', () => {
    const step = firstAsk(bid());

    expect(why(step)).toEqual(['incarnation', 'generation', 'status', 'cancel-request', 'schema']);
    expect(step).toMatchObject({
      write: { kind: 'update', set: { status: 'running', attemptId: 'B' }, add: { generation: 1 } },
    });
    expect(JSON.stringify(step)).not.toContain('sweep');
  });
});

describe('a refused ask', () => {
  const free = at(60_000 + 2_000 + 1);

  it.each([
    ['no row', undefined, bid(), { kind: 'gone' }],
    [
      'a row of another incarnation',
      queued({ incarnation: '01K00000000000000000000000' }),
      bid(),
      { kind: 'gone' },
    ],
    ['a row of a newer release', { ...queued(), schema: 2 }, bid(), { kind: 'newer', schema: 2 }],
    ['its own attempt, running', running({ attemptId: 'B' }), bid(), { kind: 'mine' }],
    [
      'another attempt whose lease is not over',
      running(),
      bid(),
      { kind: 'held', until: at(62_000) },
    ],
    [
      'another attempt whose lease is over by no more than the skew (case fencing 18)',
      running(),
      bid({ now: at(62_000) }),
      { kind: 'held', until: at(62_000) },
    ],
    [
      'a finished job',
      { ...queued(), status: 'succeeded' as const },
      bid(),
      { kind: 'finished', now: false },
    ],
    [
      'a failed job',
      { ...queued(), status: 'failed' as const, failure: { code: 'x', message: 'x', facts: {} } },
      bid(),
      { kind: 'finished', now: false },
    ],
    [
      'a cancelled job',
      { ...queued(), status: 'cancelled' as const },
      bid(),
      { kind: 'cancelled', now: false },
    ],
    [
      'a job that its own earlier ask cancelled',
      { ...queued({ attemptId: 'B' }), status: 'cancelled' as const },
      bid(),
      { kind: 'cancelled', now: true },
    ],
    [
      'a job that its own earlier ask ended as worn out',
      {
        ...queued({ attemptId: 'B' }),
        status: 'failed' as const,
        failure: { code: 'crashed-too-often', message: 'x', facts: {} },
      },
      bid(),
      { kind: 'worn-out', now: true },
    ],
  ])('answers to %s', (_, old, asked, claim) => {
    const step = nextAsk(asked, old && row(old));

    expect(step).toMatchObject({ kind: 'answer', claim });
  });

  it.each([
    [
      'a job that was put back: asks again, guarded on the generation seen',
      queued({ generation: 3 }),
      bid(),
      'granted',
      ['incarnation', 'generation', 'status', 'cancel-request'],
    ],
    [
      'a silent owner: takes over, guarded on the generation seen and the lease',
      running(),
      bid({ now: free }),
      'granted',
      ['incarnation', 'generation', 'status', 'lease', 'cancel-request'],
    ],
    [
      'a silent owner whose cancellation was asked for: cancels instead (trace H7)',
      running({ cancelRequestedAt: at(1) }),
      bid({ now: free }),
      'cancelled',
      ['incarnation', 'generation', 'status', 'lease', 'version'],
    ],
    [
      'a queued job whose cancellation was asked for: cancels instead',
      queued({ cancelRequestedAt: at(1) }),
      bid(),
      'cancelled',
      ['incarnation', 'generation', 'status', 'version'],
    ],
    [
      'owners that fell silent too often for too long: ends it (trace H19)',
      running({ takeovers: 5, firstTakeoverAt: at(0) }),
      bid({ now: at(hours(1) + 1) }),
      'worn-out',
      ['incarnation', 'generation', 'status', 'lease', 'version', 'takeovers', 'crash-span'],
    ],
    [
      'owners that fell silent too often within an hour: takes over once more (trace H8)',
      running({ takeovers: 5, firstTakeoverAt: at(0) }),
      bid({ now: at(hours(1)) }),
      'granted',
      ['incarnation', 'generation', 'status', 'lease', 'cancel-request'],
    ],
  ])('goes on from %s', (_, old, asked, means, guards) => {
    const step = nextAsk(asked, row(old));

    expect(step).toMatchObject({ kind: 'write', means });
    expect(why(step)).toEqual(guards);
  });

  it('marks the row for the sweeper as soon as an older attempt may have left candidates', () => {
    const step = nextAsk(bid({ now: free }), row(running()));

    expect(step).toMatchObject({
      write: { set: { sweepAt: at(60_000) + minutes(15), sweeps: 0 }, add: { generation: 1 } },
    });
  });

  it.each<[string, JobRow, Bid, boolean]>([
    ['claims a job that had an owner', queued({ generation: 1 }), bid(), true],
    ['claims a job that had none', queued(), bid(), false],
    ['takes over', running(), bid({ now: free }), true],
    [
      'ends a worn-out job',
      running({ takeovers: 5, firstTakeoverAt: at(0) }),
      bid({ now: at(hours(2)) }),
      true,
    ],
    [
      'cancels a job that had an owner',
      queued({ generation: 1, cancelRequestedAt: at(1) }),
      bid(),
      true,
    ],
    ['cancels a job that had none', queued({ cancelRequestedAt: at(1) }), bid(), false],
  ])(
    'that %s tells the sweeper only of what an attempt may have left',
    (_, old, asked, isMarked) => {
      const step = nextAsk(asked, row(old));

      const set =
        step.kind === 'write' && step.write.kind === 'update' ? step.write.set : undefined;
      expect(set).toBeDefined();
      expect('sweepAt' in (set ?? {})).toBe(isMarked);
    },
  );

  it('counts a takeover and remembers the first', () => {
    const first = nextAsk(bid({ now: free }), row(running()));
    const second = nextAsk(
      bid({ now: free }),
      row(running({ takeovers: 1, firstTakeoverAt: at(7) })),
    );

    expect(first).toMatchObject({ write: { set: { takeovers: 1, firstTakeoverAt: free } } });
    expect(second).toMatchObject({ write: { set: { takeovers: 2, firstTakeoverAt: at(7) } } });
  });

  it('ends a worn-out job with its event in the same write', () => {
    const step = nextAsk(
      bid({ now: at(hours(2)) }),
      row(running({ takeovers: 5, firstTakeoverAt: at(0) })),
    );

    expect(step).toMatchObject({
      write: {
        set: { status: 'failed', failure: { code: 'crashed-too-often' }, news: 2 },
        append: { events: [{ type: 'export.failed', channel: 'events', sequence: 1, n: 2 }] },
        add: { generation: 1, version: 1 },
      },
    });
  });
});

describe('a claim that finishes for silent owners', () => {
  const asked = bid({ now: at(62_001), finish: true });
  const finished = { kind: 'succeeded' as const, data: { rows: 1 } };

  it('looks first, whatever else the row says, once the lease is over', () => {
    const worn = running({ takeovers: 5, firstTakeoverAt: at(-hours(2)) });
    const cancelled = running({ cancelRequestedAt: at(1) });

    for (const job of [running(), worn, cancelled])
      expect(nextAsk(asked, row(job))).toEqual({ kind: 'look', job });
  });

  it('looks at no job whose lease is not over, that waits, or that ended', () => {
    const ended = { ...queued({ generation: 1 }), status: 'succeeded' as const };

    expect(nextAsk(bid({ finish: true }), row(running()))).toMatchObject({ kind: 'answer' });
    expect(nextAsk(asked, row(queued({ generation: 1 })))).toMatchObject({ means: 'granted' });
    expect(nextAsk(asked, row(ended))).toMatchObject({ kind: 'answer' });
  });

  it('completes under the fence of the owner and the version that was read, and leaves its attempt in the row', () => {
    const step = afterLook(asked, running({ version: 3 }), finished);

    expect(step.write.when).toMatchObject([
      { why: 'incarnation', value: incarnation },
      { why: 'generation', value: 1 },
      { why: 'status', value: 'running' },
      { why: 'version', value: 3 },
    ]);
    expect(step).toMatchObject({ means: 'finished-for', write: { add: { version: 1 } } });
    expect(step.write).not.toHaveProperty('set.attemptId');
    expect(step.write).toHaveProperty('set.sweeps', 0);
  });

  it('asks as any other where nothing had been finished', () => {
    const job = running();

    expect(afterLook(asked, job, undefined)).toEqual(nextAsk(bid({ now: at(62_001) }), row(job)));
  });
});
