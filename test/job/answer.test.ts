import { describe, expect, it } from 'vitest';
import { answered } from '../../lib/job/answer.ts';
import type { JobRow } from '../../lib/job/job.ts';
import type { Row } from '../../lib/ports/store.ts';
import { queued, running } from './rows.ts';

const row = (job: JobRow): Row => ({ ...job }) as unknown as Row;
const held = running();
const mine = { generation: 1, attemptId: 'A' };
const others = { generation: 2, attemptId: 'B' };
const failure = { code: 'x', message: 'x', facts: {} };

describe('the answer to a completion that was refused', () => {
  it.each([
    ['the row is gone', undefined, { kind: 'superseded', by: 1 }],
    [
      'the job was made anew',
      queued({ incarnation: '01K00000000000000000000000', generation: 0 }),
      { kind: 'superseded', by: 0 },
    ],
    [
      'the job was made anew, and is over already',
      {
        ...queued({ incarnation: '01K00000000000000000000000', generation: 3 }),
        status: 'cancelled' as const,
      },
      { kind: 'superseded', by: 3 },
    ],
    [
      'it was applied before, and the reply was lost (case fencing 32)',
      { ...queued(mine), status: 'succeeded' as const },
      { kind: 'already-mine' },
    ],
    [
      'somebody who may has changed the row',
      running({ version: 3, cancelRequestedAt: held.changedAt }),
      { kind: 'moved' },
    ],
    [
      'another attempt runs (case fencing 1, 3)',
      running({ ...others, version: 3 }),
      { kind: 'superseded', by: 2 },
    ],
    [
      'an operator released it',
      queued({ generation: 2, attemptId: 'A' }),
      { kind: 'superseded', by: 2 },
    ],
    [
      'another attempt completed it',
      { ...queued(others), status: 'succeeded' as const },
      { kind: 'done-by-other', by: 2 },
    ],
    [
      'another attempt failed it',
      { ...queued(others), status: 'failed' as const, failure },
      { kind: 'superseded', by: 2 },
    ],
    [
      'it was cancelled by force',
      { ...queued({ generation: 2, attemptId: 'A' }), status: 'cancelled' as const },
      { kind: 'cancelled', by: 2 },
    ],
    [
      'it was cancelled in its silence',
      { ...queued(mine), status: 'cancelled' as const },
      { kind: 'cancelled', by: 1 },
    ],
    ['it had put the job back itself', queued(mine), { kind: 'superseded', by: 1 }],
  ])('%s', (_, old, answer) => {
    const refused = { kind: 'refused' as const, at: 0, ...(old ? { old: row(old) } : {}) };

    expect(answered(held, 'succeeded', refused)).toMatchObject(answer);
  });

  it('names the write alongside that stood in the way, and its row', () => {
    const old = { pk: 'o-1', state: 'old' };

    const answer = answered(held, 'succeeded', { kind: 'refused', at: 2, old });

    expect(answer).toEqual({ kind: 'alongside-refused', index: 1, row: old });
  });
});

describe('the answer to other writes', () => {
  it.each([
    ['a release applied before', 'queued', queued(mine), 'already-mine'],
    [
      'a release after the job was claimed again (trace H20)',
      'queued',
      running(others),
      'superseded',
    ],
    [
      'a failure applied before',
      'failed',
      { ...queued(mine), status: 'failed' as const, failure },
      'already-mine',
    ],
    [
      'a cancellation applied before',
      'cancelled',
      { ...queued(mine), status: 'cancelled' as const },
      'already-mine',
    ],
    [
      'a release that an operator has made meanwhile',
      'queued',
      queued({ ...mine, generation: 2 }),
      'superseded',
    ],
    [
      'a cancellation that a claim has made meanwhile',
      'cancelled',
      { ...queued({ ...mine, attemptId: 'B' }), status: 'cancelled' as const },
      'cancelled',
    ],
    [
      'an end that a newer release’s row refuses: neither won nor lost',
      'failed',
      running({ schema: 2 }),
      'moved',
    ],
    ['a note after a takeover', 'running', running(others), 'superseded'],
  ] as const)('%s', (_, wanted, old, kind) => {
    expect(answered(held, wanted, { kind: 'refused', at: 0, old: row(old) })).toMatchObject({
      kind,
    });
  });

  it('is the new row when it was committed, and unknown when no reply came', () => {
    const done = row({ ...queued(mine), status: 'succeeded' });

    expect(answered(held, 'succeeded', { kind: 'committed', row: done })).toMatchObject({
      kind: 'committed',
      job: { status: 'succeeded' },
    });
    expect(answered(held, 'succeeded', { kind: 'committed' })).toEqual({
      kind: 'committed',
      job: held,
    });
    expect(answered(held, 'succeeded', { kind: 'unknown' })).toEqual({ kind: 'unknown' });
  });
});

describe('the answer to another end than success, of an attempt whose success was committed for it', () => {
  const old = row({ ...queued(mine), status: 'succeeded' as const });

  it.each(['failed', 'queued', 'cancelled'] as const)(
    'tells %s that the job is done, so that no other end is told',
    (wanted) => {
      expect(answered(held, wanted, { kind: 'refused', at: 0, old })).toEqual({
        kind: 'done-by-other',
        by: 1,
      });
    },
  );
});
