import type { Duration } from './brand.ts';
import { permanent } from './failure.ts';
import { lengths } from './settings.ts';
import { spoken, times } from './time.ts';

/** What is around a handler, as infra made it: what the handler says for itself must agree with it. */
export interface FunctionBounds {
  readonly timeout: Duration;
  /** How long the queue hides a message that nobody hides otherwise. */
  readonly visibility: Duration;
  /** The most messages of one invocation. */
  readonly batchSize: number;
  /** After so many receives the queue sets a message aside. */
  readonly maxReceiveCount: number;
  /** After so long SQS deletes a message, wherever it is. */
  readonly retention: Duration;
  /** What a handler keeps free before its deadline unless it says otherwise. */
  readonly margin: Duration;
}

/** Whether two numbers agree, and what to say where they don't: both values and the remedy. */
export interface Rule {
  readonly holds: boolean;
  readonly sentence: string;
}

/** @throws Failure `numbers-disagree` with the sentence of the first rule that doesn't hold, behind whose numbers they are */
export function agree(rules: readonly Rule[], whose?: string): void {
  const wrong = rules.find(({ holds }) => !holds);
  if (wrong === undefined) return;
  const { sentence } = wrong;
  throw permanent('numbers-disagree', whose === undefined ? sentence : `${whose}: ${sentence}`);
}

/** A margin leaves time to work. */
export const leavesTime = (margin: Duration, time: Duration): Rule => ({
  holds: margin < time,
  sentence: `margin (${spoken(margin)}) leaves no time to work within ${spoken(time)}: shorten the margin or lengthen the function's timeout`,
});

/** A margin lies within a timeout, and before middy's own end. */
export const marginRules = (
  margin: Duration,
  { timeout }: Pick<FunctionBounds, 'timeout'>,
): readonly Rule[] => [
  leavesTime(margin, timeout),
  {
    holds: margin > lengths.earlyEnd,
    sentence: `margin (${spoken(margin)}) must be longer than middy's timeoutEarlyInMillis (${spoken(lengths.earlyEnd)}), or middy ends the invocation before its response: lengthen the margin`,
  },
];

/** What a kind of job says of itself that a function and its queue can contradict. */
export interface OwnLimits {
  readonly failures: number;
  readonly takeovers: number;
  readonly releases: number;
  /** Undefined where it isn't set, and so is the function's timeout. */
  readonly attempt: Duration | undefined;
}

/** A job's limits fit into its function and its queue. */
export const limitRules = (
  { attempt, failures, takeovers, releases }: OwnLimits,
  bounds: Pick<FunctionBounds, 'timeout' | 'maxReceiveCount'>,
): readonly Rule[] => [
  {
    holds: attempt === undefined || attempt <= bounds.timeout,
    sentence: `one attempt of the job may take ${spoken(attempt ?? bounds.timeout)}, which is longer than its function's timeout of ${spoken(bounds.timeout)}: shorten limits.attempt or lengthen the timeout`,
  },
  countRule('limits.failures', failures, bounds),
  countRule('limits.takeovers', takeovers, bounds),
  countRule('limits.releases', releases, bounds),
];

/** A handler's retries end before its queue gives the message up, and the queue gives up before SQS forgets. */
export const retryRules = (
  { maxAttempts, cap }: { readonly maxAttempts?: number; readonly cap: Duration },
  bounds: FunctionBounds,
): readonly Rule[] => [
  ...(maxAttempts === undefined ? [] : [countRule('retry.maxAttempts', maxAttempts, bounds)]),
  // A message that is blocked, or whose handler is set up wrongly, waits for the whole cap each time: nothing is halved here.
  retentionRule({ what: 'a retry.cap', length: cap }, bounds),
];

const countRule = (
  what: string,
  count: number,
  { maxReceiveCount }: Pick<FunctionBounds, 'maxReceiveCount'>,
): Rule => ({
  holds: count < maxReceiveCount,
  sentence: `${what} is ${count}, which must be less than the queue's maxReceiveCount of ${maxReceiveCount}, or the queue gives a message up before its handler does: lower the first or raise the second`,
});

/** All receives of a message fit into the time that its queue keeps it. */
export function retentionRule(
  wait: { readonly what: string; readonly length: Duration },
  { maxReceiveCount, retention }: Pick<FunctionBounds, 'maxReceiveCount' | 'retention'>,
): Rule {
  const all = times(wait.length, maxReceiveCount);
  return {
    holds: all < retention,
    sentence: `${maxReceiveCount} receives with ${wait.what} of ${spoken(wait.length)} take ${spoken(all)}, which must be less than the queue's retention of ${spoken(retention)}, or SQS deletes instead of dead-lettering: shorten the wait or lower maxReceiveCount`,
  };
}
