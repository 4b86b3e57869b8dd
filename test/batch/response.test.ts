import { describe, expect, it } from 'vitest';
import { response } from '../../lib/batch/response.ts';
import { permanent } from '../../lib/kernel/failure.ts';
import type { Outcome } from '../../lib/kernel/outcome.ts';

const done: Outcome = { kind: 'done' };
const failed: Outcome = { kind: 'failed', failure: permanent('no', 'no') };
const heldBack: Outcome = { kind: 'held-back', behind: 'a' };
const outOfTime: Outcome = { kind: 'out-of-time', behind: undefined };

describe('a response', () => {
  it.each<[string, { ids: string[]; verdicts: (Outcome | undefined)[]; kept: string[] }]>([
    ['keeps nothing that is done', { ids: ['a', 'b'], verdicts: [done, done], kept: [] }],
    ['keeps what failed', { ids: ['a', 'b'], verdicts: [done, failed], kept: ['b'] }],
    [
      'keeps what is held back',
      { ids: ['a', 'b'], verdicts: [failed, heldBack], kept: ['a', 'b'] },
    ],
    ['keeps what is out of time', { ids: ['a', 'b'], verdicts: [done, outOfTime], kept: ['b'] }],
    ['keeps what has no verdict', { ids: ['a', 'b'], verdicts: [undefined, done], kept: ['a'] }],
    ['keeps what verdicts are missing for', { ids: ['a', 'b'], verdicts: [], kept: ['a', 'b'] }],
    ['names an id once', { ids: ['a', 'a'], verdicts: [failed, failed], kept: ['a'] }],
    [
      'keeps an id of which one record is not done',
      { ids: ['a', 'a'], verdicts: [done, failed], kept: ['a'] },
    ],
    ['is empty for an empty batch', { ids: [], verdicts: [], kept: [] }],
  ])('%s', (_, { ids, verdicts, kept }) => {
    expect(response(ids, verdicts)).toEqual({
      batchItemFailures: kept.map((itemIdentifier) => ({ itemIdentifier })),
    });
  });
});
