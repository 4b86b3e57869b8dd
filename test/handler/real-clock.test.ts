import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realClock } from '../../lib/handler/real-clock.ts';
import { days, later, seconds } from '../../lib/kernel/time.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the machine’s clock', () => {
  it('rings an alarm once, at its moment', () => {
    const rung: number[] = [];
    const at = later(realClock.now(), seconds(5));
    realClock.alarm(at, () => rung.push(realClock.now()));

    vi.advanceTimersByTime(60_000);

    expect(rung).toEqual([at]);
  });

  it('rings no alarm that was cancelled', () => {
    const ring = vi.fn();
    const cancel = realClock.alarm(later(realClock.now(), seconds(5)), ring);

    cancel();
    vi.advanceTimersByTime(60_000);

    expect(ring).not.toHaveBeenCalled();
  });

  it('rings no alarm at once because it lies far away', () => {
    const ring = vi.fn();
    const cancel = realClock.alarm(later(realClock.now(), days(60)), ring);

    vi.advanceTimersByTime(60_000);

    expect(ring).not.toHaveBeenCalled();
    cancel();
  });

  it('rings an alarm in the past as soon as it can', () => {
    const ring = vi.fn();
    realClock.alarm(0 as Parameters<typeof realClock.alarm>[0], ring);

    vi.advanceTimersByTime(0);

    expect(ring).toHaveBeenCalledOnce();
  });

  it('sleeps so long, and leaves no timer', async () => {
    const since = realClock.now();
    const slept = realClock.sleep(seconds(5)).then(() => realClock.now() - since);

    await vi.advanceTimersByTimeAsync(60_000);

    expect(await slept).toBe(5_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['fires while it sleeps', false],
    ['has fired before', true],
  ])('wakes at once where its signal %s', async (_, before) => {
    const controller = new AbortController();
    if (before) controller.abort();

    const slept = realClock.sleep(days(1), controller.signal);
    controller.abort();

    await expect(slept).resolves.toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });
});
