import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../lib/job/job.ts';
import { type Verb, verbStep } from '../../lib/job/operator.ts';
import type { Row } from '../../lib/ports/store.ts';
import { at, queued, running } from './rows.ts';

const because = 'the test asks';
const cancel: Verb = { kind: 'cancel', force: false, because };
const force: Verb = { kind: 'cancel', force: true, because };
const release: Verb = { kind: 'release', because };
const retry: Verb = { kind: 'retry', because };
const failed: JobRow = {
  ...queued({ generation: 1, failures: 3, takeovers: 5, releases: 9, firstTakeoverAt: at(0) }),
  status: 'failed',
  failure: { code: 'x', message: 'x', facts: {} },
  cancelRequestedAt: at(1),
  cancelBecause: 'once',
};

/** The write of a verb; a test fails where there is none. */
function written(verb: Verb, row: JobRow) {
  const step = verbStep(verb, row as unknown as Row, at(9));
  if (step.kind !== 'write' || step.write.kind !== 'update') throw new Error(step.kind);
  return { ...step.write, means: step.means };
}

describe('an operator’s verb', () => {
  it.each<[string, Verb, JobRow, object]>([
    ['cancel ends a job that nobody had, and fences nobody', cancel, queued(), { version: 1 }],
    ['cancel ends a job that was put back', cancel, queued({ generation: 2 }), { version: 1 }],
    ['cancel only asks the owner of a running one', cancel, running(), { version: 1 }],
    ['force fences him', force, running(), { version: 1, generation: 1 }],
    ['force on a queued job fences nobody', force, queued(), { version: 1 }],
    ['release fences the owner', release, running(), { version: 1, generation: 1 }],
    ['retry begins a new life', retry, failed, { version: 1, generation: 1 }],
  ])('%s', (_, verb, row, add) => {
    expect(written(verb, row).add).toEqual(add);
  });

  it.each<[string, Verb, JobRow, boolean]>([
    ['cancel of a job that nobody had', cancel, queued(), false],
    ['cancel of a job that was put back', cancel, queued({ generation: 1 }), true],
    ['a request, which ends nothing', cancel, running(), false],
    ['force', force, running(), true],
    ['release', release, running(), true],
    ['retry', retry, failed, true],
  ])('tells the sweeper of what attempts may have left: %s', (_, verb, row, isMarked) => {
    expect('sweepAt' in (written(verb, row).set ?? {})).toBe(isMarked);
  });

  it.each<[string, Verb, JobRow, string | undefined]>([
    ['cancel', cancel, queued(), 'export.cancelled'],
    ['force', force, running(), 'export.cancelled'],
    ['a request', cancel, running(), undefined],
    ['release', release, running(), 'export.run'],
    ['retry', retry, failed, 'export.run'],
  ])('says why in the event that it appends, and a request none: %s', (_, verb, row, type) => {
    const events = written(verb, row).append?.['events'];

    expect(events?.[0]).toEqual(
      type === undefined ? undefined : expect.objectContaining({ type, data: { because } }),
    );
  });

  it.each<[string, Verb, JobRow, object]>([
    ['cancel', cancel, queued({ generation: 2 }), { generation: 2, version: 2 }],
    ['force', force, running(), { generation: 2, version: 3 }],
    ['retry', retry, failed, { generation: 2, version: 2 }],
  ])(
    'puts generation and version into its event as the row has them afterwards: %s',
    (_, verb, row, stamp) => {
      expect(written(verb, row).append?.['events']).toMatchObject([stamp]);
    },
  );

  it.each<[string, Verb]>([
    ['release', release],
    ['force', force],
  ])('takes the note of the owner away whom it fences: %s', (_, verb) => {
    expect(written(verb, running({ progress: 0.5 })).remove).toContain('progress');
  });

  it.each<[string, Verb, JobRow, string]>([
    ['retry of a running job', retry, running(), 'already'],
    ['retry of a queued job', retry, queued(), 'already'],
    ['release of a queued job', release, queued(), 'already'],
    ['release of a failed job', release, failed, 'finished'],
  ])('has nothing to do: %s', (_, verb, row, kind) => {
    expect(verbStep(verb, row as unknown as Row, at(9))).toEqual({ kind });
  });

  it('remembers a request with its reason, once', () => {
    const asked = written(cancel, running());
    const again = verbStep(cancel, running({ cancelRequestedAt: at(1) }) as unknown as Row, at(9));

    expect(asked).toMatchObject({
      means: 'requested',
      set: { cancelRequestedAt: at(9), cancelBecause: because },
    });
    expect(again).toEqual({ kind: 'already' });
  });

  it('makes all budgets of a failed job whole, and forgets its request and its failure', () => {
    const { set, remove } = written(retry, failed);

    expect(set).toMatchObject({ status: 'queued', failures: 0, takeovers: 0, releases: 0 });
    expect(remove).toEqual(
      expect.arrayContaining(['firstTakeoverAt', 'failure', 'cancelRequestedAt', 'cancelBecause']),
    );
  });

  it('hands back the row of a newer release untouched', () => {
    const newer = { ...running(), schema: 2 } as unknown as Row;

    expect(verbStep(force, newer, at(9))).toEqual({ kind: 'newer', schema: 2 });
  });
});
