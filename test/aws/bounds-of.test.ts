import { afterEach, describe, expect, it, vi } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { done, fifoHandler } from '../../lib/index.ts';

const numbers = {
  timeout: 60_000,
  visibility: 360_000,
  batchSize: 10,
  maxReceiveCount: 1_000,
  retention: 1_209_600_000,
  margin: 2_000,
};

afterEach(() => void vi.unstubAllEnvs());

/** A handler that starts with this variable around it. */
const started = (value: unknown, maxAttempts = 4) => {
  vi.stubEnv('LANEKEEPER_FUNCTION', typeof value === 'string' ? value : JSON.stringify(value));
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  const retry = { maxAttempts };
  return () =>
    fifoHandler({ parse: String, handle: async () => done(), retry, poison: 'block' }, onAws());
};

describe('the numbers around a function on AWS', () => {
  it('reach the handler by the environment', () => {
    expect(started(numbers)).not.toThrow();
    expect(started({ ...numbers, maxReceiveCount: 4 })).toThrow(
      expect.objectContaining({ code: 'numbers-disagree' }),
    );
    expect(onAws().bounds).toEqual({ ...numbers, maxReceiveCount: 4 });
  });

  it('are not needed', () => {
    expect(started('', 5_000)).not.toThrow();
    expect(onAws().bounds).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /got no timeout, no visibility, no batchSize, /],
    ['no object', 'null', /got no timeout, /],
    ['a number missing', { ...numbers, margin: undefined }, /got no margin$/],
    ['a text', { ...numbers, timeout: '1 minute' }, /got "1 minute" timeout$/],
    ['nothing', { ...numbers, maxReceiveCount: 0 }, /got 0 maxReceiveCount$/],
    ['less than nothing', { ...numbers, retention: -1 }, /got -1 retention$/],
  ])('are refused by the name of the variable for %s', (_, value, sentence) => {
    expect(started(value)).toThrow(
      expect.objectContaining({
        code: 'setting-malformed',
        facts: { variable: 'LANEKEEPER_FUNCTION' },
        message: expect.stringMatching(/^the environment variable LANEKEEPER_FUNCTION must be /),
      }),
    );
    expect(started(value)).toThrow(sentence);
  });
});
