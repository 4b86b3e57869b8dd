import { describe, expect, it } from 'vitest';
import { hidings } from '../../lib/batch/hidings.ts';
import type { Duration } from '../../lib/kernel/brand.ts';
import { transient } from '../../lib/kernel/failure.ts';
import type { Outcome } from '../../lib/kernel/outcome.ts';

const failure = transient('busy', 'busy');
const failed = (wait?: number): Outcome => ({
  kind: 'failed',
  failure,
  ...(wait === undefined ? {} : { wait: wait as Duration }),
});
const later = (wait: number): Outcome => ({
  kind: 'held-back',
  behind: undefined,
  wait: wait as Duration,
});
const done: Outcome = { kind: 'done' };
const behind: Outcome = { kind: 'held-back', behind: '1' };
const unstarted: Outcome = { kind: 'out-of-time', behind: undefined };
const behindUnstarted: Outcome = { kind: 'out-of-time', behind: '1' };
const almost12Hours = 11.75 * 3_600_000;

describe('hidings of a group', () => {
  it.each<[string, { outcomes: Outcome[]; lengths: [string, number][] }]>([
    ['are none where all is done', { outcomes: [done, done], lengths: [] }],
    ['are none where the head names no wait', { outcomes: [done, failed(), behind], lengths: [] }],
    [
      'let a failed head come back alone, before what is behind it (case fifo 13)',
      {
        outcomes: [failed(5_000), behind, behind],
        lengths: [
          ['h0', 5_000],
          ['h1', 8_000],
          ['h2', 8_000],
        ],
      },
    ],
    [
      'leave out what was done before the head',
      {
        outcomes: [done, failed(5_000), behind],
        lengths: [
          ['h1', 5_000],
          ['h2', 8_000],
        ],
      },
    ],
    [
      'let a message wait that asked for it, and its group behind it (case fifo 39)',
      {
        outcomes: [later(60_000), behind],
        lengths: [
          ['h0', 60_000],
          ['h1', 63_000],
        ],
      },
    ],
    [
      'let a head come back alone also when it asks for no wait at all',
      {
        outcomes: [failed(0), behind],
        lengths: [
          ['h0', 0],
          ['h1', 3_000],
        ],
      },
    ],
    [
      'bring back at once what was never started (trace H16)',
      {
        outcomes: [done, unstarted, behindUnstarted],
        lengths: [
          ['h1', 0],
          ['h2', 0],
        ],
      },
    ],
    [
      'stay below the 12 hours that SQS counts from the receive',
      {
        outcomes: [later(12 * 3_600_000), behind],
        lengths: [
          ['h0', almost12Hours],
          ['h1', almost12Hours],
        ],
      },
    ],
  ])('%s', (_, { outcomes, lengths }) => {
    const group = outcomes.map((outcome, i) => ({ message: { handle: `h${i}` }, outcome }));

    expect(hidings(group).map(({ handle, length }) => [handle, length])).toEqual(lengths);
  });
});
