import { afterEach, beforeEach, vi } from 'vitest';
import { realClock } from '../../lib/handler/real-clock.ts';
import { clockContract } from '../contract/clock.contract.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

clockContract('the machine’s clock', () => ({
  clock: realClock,
  pass: async (length) => {
    await vi.advanceTimersByTimeAsync(length);
  },
}));
