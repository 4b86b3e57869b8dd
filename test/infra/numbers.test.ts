import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../lib/index.ts';
import { type Asked, numbers } from '../../lib/infra/numbers.ts';
import type { OwnLimits } from '../../lib/kernel/bounds.ts';
import { milliseconds } from '../../lib/kernel/time.ts';

const asked = (more: Partial<Asked> = {}): Asked => ({
  name: 'job "copy"',
  timeout: minutes(1),
  counts: true,
  ...more,
});

const limits = (more: Partial<OwnLimits>): OwnLimits => ({
  failures: 4,
  takeovers: 5,
  releases: 100,
  attempt: undefined,
  ...more,
});

describe('the numbers of a queue and its function', () => {
  it('are computed from the timeout, and outlast a day without losing a message', () => {
    expect(numbers(asked())).toEqual({
      timeout: minutes(1),
      visibility: minutes(6),
      batchSize: 10,
      maxReceiveCount: 1_000,
      retention: hours(14 * 24),
      margin: seconds(2),
    });
  });

  it('leave fewer receives to a handler that counts nothing', () => {
    expect(numbers(asked({ counts: false })).maxReceiveCount).toBe(10);
  });

  it.each<[string, Partial<Asked>, RegExp]>([
    [
      'a timeout beyond Lambda’s',
      { timeout: minutes(16) },
      /at most 900 s, got a timeout of 960 s/,
    ],
    [
      'a visibility below six timeouts',
      { visibility: minutes(5) },
      /for 300 s, which must be at least 360 s, 6 times .* 60 s/,
    ],
    [
      'a visibility beyond SQS’s',
      { visibility: hours(13) },
      /at most 43200 s, got a visibility of 46800 s/,
    ],
    [
      'an attempt longer than the function',
      { limits: limits({ attempt: minutes(2) }) },
      /may take 120 s, which is longer than .* 60 s/,
    ],
    [
      'as many failures as receives',
      { limits: limits({ failures: 1_000 }) },
      /limits.failures is 1000, which must be less than .* 1000/,
    ],
    [
      'as many takeovers as receives',
      { limits: limits({ takeovers: 1_001 }) },
      /limits.takeovers is 1001, which must be less than .* 1000/,
    ],
    [
      'as many releases as receives',
      { limits: limits({ releases: 2_000 }) },
      /limits.releases is 2000, which must be less than .* 1000/,
    ],
    [
      'a margin as long as the function',
      { timeout: seconds(2) },
      /margin \(2 s\) leaves no time to work within 2 s/,
    ],
    [
      'a margin in which middy ends the function',
      { margin: milliseconds(5) },
      /margin \(5 ms\) must be longer than middy's .* \(5 ms\)/,
    ],
    ['a batch of none', { batchSize: 0 }, /1 to 10 messages, got 0/],
    ['a batch of eleven', { batchSize: 11 }, /1 to 10 messages, got 11/],
    ['half a message', { batchSize: 1.5 }, /1 to 10 messages, got 1.5/],
    ['a concurrency of one', { maxConcurrency: 1 }, /between 2 and 1000, got 1/],
    [
      'more concurrency than is reserved',
      { maxConcurrency: 5, reservedConcurrency: 4 },
      /up to 5 .* more than the 4/,
    ],
    ['no receive', { maxReceiveCount: 0 }, /from 1 to 1000, got 0/],
    ['more receives than SQS counts', { maxReceiveCount: 1_001 }, /from 1 to 1000, got 1001/],
    [
      'receives that a day’s outage uses up',
      { maxReceiveCount: 100 },
      /100 receives last 15000 s .* longest outage of 86400 s/,
    ],
    [
      'an outage longer than the receives',
      { longestOutage: hours(48) },
      /last 150000 s .* longest outage of 172800 s/,
    ],
    [
      'receives that outlast the retention',
      { counts: false, timeout: minutes(15), maxReceiveCount: 300 },
      /300 receives with a visibility of 5400 s take 1620000 s, .* retention of 1209600 s/,
    ],
  ])('refuse %s, and show both values', (_, more, sentence) => {
    expect(() => numbers(asked(more))).toThrow(
      expect.objectContaining({ code: 'numbers-disagree' }),
    );
    expect(() => numbers(asked(more))).toThrow(/^job "copy": /);
    expect(() => numbers(asked(more))).toThrow(sentence);
  });

  it.each<[string, Partial<Asked>]>([
    ['a visibility of six timeouts', { visibility: minutes(6) }],
    ['an attempt as long as the function', { limits: limits({ attempt: minutes(1) }) }],
    ['one failure less than receives', { limits: limits({ failures: 999 }) }],
    ['a margin just behind middy’s end', { margin: milliseconds(6) }],
    ['as much concurrency as is reserved', { maxConcurrency: 4, reservedConcurrency: 4 }],
    ['the longest function', { timeout: minutes(15) }],
    ['a short one', { timeout: seconds(3) }],
  ])('take %s', (_, more) => {
    expect(() => numbers(asked(more))).not.toThrow();
  });
});
