import { describe, expect, it } from 'vitest';
import {
  type BatchSettings,
  done,
  type FunctionBounds,
  fifoHandler,
  hours,
  type JobHandlerSettings,
  type JobLimits,
  jobHandler,
  minutes,
  type RetrySettings,
  seconds,
  type World,
} from '../../lib/index.ts';
import { milliseconds } from '../../lib/kernel/time.ts';
import { countJob, counts } from './count-job.ts';
import { batch, handClock, kept, left, ms, QueueWorld, until } from './fifo-events.ts';
import { aWorld } from './world.ts';

/** As infra computes them for a function of a minute. */
const bounds: FunctionBounds = {
  timeout: minutes(1),
  visibility: minutes(6),
  batchSize: 10,
  maxReceiveCount: 1_000,
  retention: hours(14 * 24),
  margin: seconds(2),
};

const refused = (sentence: RegExp) =>
  expect.objectContaining({
    code: 'numbers-disagree',
    message: expect.stringMatching(sentence),
  });

describe('a handler at its start', () => {
  const started = (
    settings: BatchSettings & { readonly retry?: RetrySettings },
    around: Partial<FunctionBounds> = {},
  ) => {
    const world: World = Object.assign(new QueueWorld(), { bounds: { ...bounds, ...around } });
    return () => fifoHandler({ parse: String, handle: async () => done(), ...settings }, world);
  };

  it.each<[string, Parameters<typeof started>, RegExp]>([
    [
      'a margin as long as the timeout',
      [{ margin: minutes(1) }],
      /^margin \(60 s\) leaves no time to work within 60 s: shorten /,
    ],
    [
      'the usual margin in a function as short',
      [{}, { timeout: seconds(2) }],
      /^margin \(2 s\) leaves no time to work within 2 s: shorten /,
    ],
    [
      'a margin in which middy ends the function',
      [{ margin: milliseconds(5) }],
      /^margin \(5 ms\) must be longer than middy's timeoutEarlyInMillis \(5 ms\), .*: lengthen /,
    ],
    [
      'as many attempts as receives',
      [{ retry: { maxAttempts: 10 } }, { maxReceiveCount: 10 }],
      /^retry.maxAttempts is 10, which must be less than .* maxReceiveCount of 10, .*: lower /,
    ],
    [
      'the usual attempts behind fewer receives',
      [{}, { maxReceiveCount: 3 }],
      /^retry.maxAttempts is 4, which must be less than .* maxReceiveCount of 3, .*: lower /,
    ],
    [
      'a cap with which SQS deletes before the queue gives up',
      [{ retry: { cap: minutes(21) } }],
      /^1000 receives with a retry.cap of 1260 s take 1260000 s, .* retention of 1209600 s, .*: shorten /,
    ],
  ])('refuses %s, with both values and the remedy', (_, args, sentence) => {
    expect(started(...args)).toThrow(refused(sentence));
  });

  it.each<[string, Parameters<typeof started>]>([
    ['the usual settings', [{}]],
    ['a margin just shorter than the timeout', [{ margin: ms(59_999) }]],
    ['a margin just longer than middy’s end', [{ margin: milliseconds(6) }]],
    ['one attempt less than receives', [{ retry: { maxAttempts: 9 } }, { maxReceiveCount: 10 }]],
    ['a cap longer than the visibility', [{ retry: { cap: minutes(20) } }]],
    [
      'a longer cap behind fewer receives',
      [{ retry: { cap: hours(12) } }, { maxReceiveCount: 27 }],
    ],
    ['a short cap, since an outage waits by its own', [{ retry: { cap: seconds(30) } }]],
  ])('takes %s', (_, args) => {
    expect(started(...args)).not.toThrow();
  });

  it('is compared with nothing where nobody says the numbers', () => {
    const settings = { parse: String, handle: async () => done(), retry: { cap: hours(12) } };

    expect(() => fifoHandler(settings, new QueueWorld())).not.toThrow();
  });

  it.each<[string, BatchSettings, number]>([
    ['what infra says', {}, 50_000],
    ['what it says itself', { margin: seconds(5) }, 55_000],
  ])('keeps free before its deadline %s', async (_, settings, signal) => {
    const clock = handClock();
    const world = Object.assign(new QueueWorld(clock), {
      bounds: { ...bounds, margin: seconds(10) },
    });
    const aborted: number[] = [];
    const handler = fifoHandler(
      {
        parse: String,
        handle: (_, turn) =>
          new Promise(() => {
            turn.signal.addEventListener('abort', () => aborted.push(clock.now()));
          }),
        ...settings,
      },
      world,
    );

    const response = handler(batch('A1'), left(60_000));
    await until(clock, 60_000);

    expect(kept(await response)).toEqual(['A1']);
    expect(aborted).toEqual([signal]);
  });
});

describe('a worker at its start', () => {
  const started = (
    limits: JobLimits,
    settings: JobHandlerSettings = {},
    around: Partial<FunctionBounds> = {},
  ) => {
    const world: World = { ...aWorld(), bounds: { ...bounds, ...around } };
    return () => jobHandler([countJob(counts, limits)], world, settings);
  };

  it.each<[string, Parameters<typeof started>, RegExp]>([
    [
      'a job that may take longer than its function',
      [{ attempt: minutes(5) }],
      /^job "count": one attempt of the job may take 300 s, .* timeout of 60 s: shorten /,
    ],
    [
      'as many failures as receives',
      [{ failures: 1_000 }],
      /^job "count": limits.failures is 1000, which must be less than .* of 1000, .*: lower /,
    ],
    [
      'the usual releases behind fewer receives',
      [{}, {}, { maxReceiveCount: 50 }],
      /^job "count": limits.releases is 100, which must be less than .* of 50, .*: lower /,
    ],
    [
      'a margin as long as the timeout',
      [{}, { margin: minutes(2) }],
      /^margin \(120 s\) leaves no time to work within 60 s: shorten /,
    ],
    [
      'a cap with which SQS deletes before the queue gives up',
      [{}, { retry: { cap: hours(1) } }],
      /^1000 receives with a retry.cap of 3600 s take 3600000 s, .* retention of 1209600 s, /,
    ],
  ])('refuses %s, with both values and the remedy', (_, args, sentence) => {
    expect(started(...args)).toThrow(refused(sentence));
  });

  it.each<[string, Parameters<typeof started>]>([
    ['a job that sets no attempt, whose limit is the timeout', [{}]],
    ['an attempt as long as the function', [{ attempt: minutes(1) }]],
    ['as few receives as its releases need', [{}, {}, { maxReceiveCount: 101 }]],
  ])('takes %s', (_, args) => {
    expect(started(...args)).not.toThrow();
  });
});
