import { agree, type FunctionBounds, retryRules } from '../kernel/bounds.ts';
import type { Duration } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { lengths } from '../kernel/settings.ts';
import { minutes, seconds } from '../kernel/time.ts';
import type { Classify } from '../retry/classified.ts';

/** How what failed is tried again. */
export interface RetrySettings {
  /** Below the queue's own maxReceiveCount, which is the last net. @default 4 */
  readonly maxAttempts?: number;
  /** Full jitter between zero and base · 2^attempt. @default seconds(5) */
  readonly base?: Duration;
  /** The most that a message waits between two attempts; at most 12 hours, SQS's limit, and maxReceiveCount times less than the queue's retention. @default minutes(15) */
  readonly cap?: Duration;
  /** Your own reading of what was thrown, asked first; an outage is retried without counting. */
  readonly classify?: Classify;
}

/** Settings with their defaults. @throws Failure `setting-invalid`, which shows the value; `numbers-disagree` where they don't fit the queue of `bounds` */
export function retrySettings(
  { maxAttempts = 4, base = seconds(5), cap = minutes(15), classify }: RetrySettings = {},
  bounds?: FunctionBounds,
): Required<Omit<RetrySettings, 'classify'>> & { readonly classify: Classify | undefined } {
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
  if (bounds !== undefined) agree(retryRules({ maxAttempts, cap }, bounds));
  return { maxAttempts, base, cap, classify };
}
