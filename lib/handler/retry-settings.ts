import type { Duration } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { lengths } from '../kernel/settings.ts';
import { minutes, seconds } from '../kernel/time.ts';
import type { Classify } from '../retry/classified.ts';

/** How what failed is tried again. */
export interface RetrySettings {
  /** @default 4; the queue's own maxReceiveCount stays far above it, as the last net */
  readonly maxAttempts?: number;
  /** Full jitter between zero and base · 2^attempt. @default seconds(5) */
  readonly base?: Duration;
  /** The most that a message waits between two attempts; at most 12 hours, SQS's limit. @default minutes(15) */
  readonly cap?: Duration;
  /** Your own reading of what was thrown, asked first; an outage is retried without counting. */
  readonly classify?: Classify;
}

/** Settings with their defaults. @throws Failure `setting-invalid`, which shows the value */
export function retrySettings({
  maxAttempts = 4,
  base = seconds(5),
  cap = minutes(15),
  classify,
}: RetrySettings = {}): Required<Omit<RetrySettings, 'classify'>> & {
  readonly classify: Classify | undefined;
} {
  const rules = [
    {
      holds: Number.isSafeInteger(maxAttempts) && maxAttempts >= 1,
      sentence: `retry.maxAttempts is a whole number from 1 on, got ${maxAttempts}`,
    },
    {
      holds: base > 0 && base <= cap,
      sentence: `retry.base lies above zero and is at most retry.cap (${cap} ms), got ${base} ms`,
    },
    {
      holds: cap <= lengths.longestHiding,
      sentence: `retry.cap is at most 12 hours, SQS's limit, got ${cap} ms`,
    },
  ];
  for (const { holds, sentence } of rules) if (!holds) throw permanent('setting-invalid', sentence);
  return { maxAttempts, base, cap, classify };
}
