import { describe, expect, it } from 'vitest';
import { keptRefusal } from '../../lib/job/refused.ts';
import { at, incarnation, running } from './rows.ts';

describe('a refused write that is kept', () => {
  it('lies beside the job’s row, one for each attempt, and says who was about to do what and who won', () => {
    const held = running({ attemptId: '01JZ0000000000000000000001' });
    const lost = { kind: 'superseded', by: 3 } as const;

    const write = keptRefusal(held, { what: 'complete', lost, at: at(1) });

    expect(write).toEqual({
      table: 'care',
      key: { pk: `refused#${held.id}`, sk: '01JZ0000000000000000000001' },
      when: [],
      kind: 'put',
      fields: {
        at: at(1),
        what: 'complete',
        answer: 'superseded',
        incarnation,
        generation: 1,
        attemptId: '01JZ0000000000000000000001',
        by: 3,
        ttl: Math.ceil((at(1) + 36 * 24 * 3_600_000) / 1_000),
      },
    });
  });
});
