import type { Duration, Instant } from '../kernel/brand.ts';
import type { Clock } from '../ports/clock.ts';

/** The longest wait that a Node timer takes, about 24 days; a longer one would ring at once. */
const longestTimer = 2 ** 31 - 1;

/** The machine's own clock: the only place that asks it. */
export const realClock: Clock = {
  now: () => Date.now() as Instant,
  alarm(at, ring) {
    const timer = setTimeout(ring, Math.min(Math.max(0, at - Date.now()), longestTimer));
    return () => clearTimeout(timer);
  },
  async sleep(length: Duration, signal?: AbortSignal) {
    if (signal?.aborted) return;
    const awake = new AbortController();
    await new Promise<void>((wake) => {
      const timer = setTimeout(wake, Math.min(length, longestTimer));
      const early = () => {
        clearTimeout(timer);
        wake();
      };
      signal?.addEventListener('abort', early, { once: true, signal: awake.signal });
    });
    awake.abort();
  },
};
