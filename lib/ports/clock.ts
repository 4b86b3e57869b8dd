import type { Duration, Instant } from '../kernel/brand.ts';

/** Where time comes from; nothing in this library asks anything else. */
export interface Clock {
  /** The time as this machine believes it to be; others may disagree by the skew. */
  now(): Instant;
  /** Resolves after `length`, or as soon as `signal` fires; never rejects. */
  sleep(length: Duration, signal?: AbortSignal): Promise<void>;
  /** Calls `ring` at `at`, once, unless the returned function was called first. Nobody waits for it, unlike {@link sleep}. */
  alarm(at: Instant, ring: () => void): () => void;
}
