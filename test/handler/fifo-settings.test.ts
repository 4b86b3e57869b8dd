import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import {
  type BatchSettings,
  done,
  fifoHandler,
  hours,
  permanent,
  type RetrySettings,
  seconds,
} from '../../lib/index.ts';
import { nothing } from '../../lib/kernel/time.ts';
import { batch, kept, left, ms, QueueWorld } from './fifo-events.ts';

const reading = { parse: String, handle: async () => done() };

describe('settings', () => {
  it.each<{ settings: BatchSettings; shows: string }>([
    { settings: { concurrency: 0 }, shows: 'got 0' },
    { settings: { concurrency: 1.5 }, shows: 'got 1.5' },
    { settings: { concurrency: Number.NaN }, shows: 'got NaN' },
    { settings: { margin: nothing }, shows: 'got 0' },
    { settings: { margin: ms(Number.NaN) }, shows: 'got NaN' },
    { settings: { allFailed: 'shrug' as 'throw' }, shows: 'got "shrug"' },
  ])('of a batch that can’t be right are refused at start: $shows', ({ settings, shows }) => {
    expect(() => fifoHandler({ ...reading, ...settings })).toThrowError(
      expect.objectContaining({ code: 'setting-invalid', message: expect.stringContaining(shows) }),
    );
  });

  it.each<{ retry: RetrySettings; shows: string }>([
    { retry: { maxAttempts: 0 }, shows: 'got 0' },
    { retry: { maxAttempts: 2.5 }, shows: 'got 2.5' },
    { retry: { base: nothing }, shows: 'got 0 ms' },
    { retry: { base: seconds(9), cap: seconds(3) }, shows: 'got 9000 ms' },
    { retry: { cap: hours(13) }, shows: 'got 46800000 ms' },
  ])('of a retry that can’t be right are refused at start: $shows', ({ retry, shows }) => {
    expect(() => fifoHandler({ ...reading, retry }, new QueueWorld())).toThrowError(
      expect.objectContaining({ code: 'setting-invalid', message: expect.stringContaining(shows) }),
    );
  });

  it.each([
    ['both', { settings: { schema: {}, parse: String } }],
    ['none', { settings: {} }],
  ])('name exactly one of schema and parse, not %s', (_, { settings }) => {
    const wrong = { ...settings, handle: async () => done() } as never;

    expect(() => fifoHandler(wrong)).toThrowError(
      expect.objectContaining({ code: 'setting-invalid' }),
    );
  });
});

describe('a handler in middy', () => {
  it('runs its batch, and shows user code what middleware added to the context', async () => {
    const seen: unknown[] = [];
    const inner = fifoHandler({
      parse: String,
      observe: () => {},
      async handle({ id }, { context, remaining, signal }) {
        seen.push(Reflect.get(context, 'tenant'), remaining() > 0, signal.aborted);
        if (id === 'A1') throw permanent('no', 'no');
        return done();
      },
    });
    const handler = middy(inner)
      .before(({ context }) => {
        Reflect.set(context, 'tenant', 'shop');
      })
      .after(({ response }) => {
        seen.push(response && kept(response));
      });

    const response = await handler(batch('A1', 'A2'), left(60_000));

    expect(kept(response)).toEqual(['A1', 'A2']);
    expect(seen).toEqual(['shop', true, false, ['A1', 'A2']]);
  });

  it('hands what can’t be answered to its error middleware', async () => {
    const codes: unknown[] = [];
    const handler = middy(fifoHandler(reading)).onError(({ error }) => {
      codes.push(error && Reflect.get(error, 'code'));
    });

    await expect(handler({} as never, left(60_000))).rejects.toThrowError('list of Records');

    expect(codes).toEqual(['event-invalid']);
  });
});
