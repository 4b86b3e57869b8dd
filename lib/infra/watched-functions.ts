import { Duration, type aws_lambda as lambda } from 'aws-cdk-lib';
import type { QueueFunction } from './queue-function.ts';
import { type AllWatched, every, longestWait } from './watched.ts';

/** What is watched of the relay. */
export const watchedRelay = (relay: lambda.Function): AllWatched => ({
  RelayIsLate: {
    metric: relay.metric('IteratorAge', { statistic: 'max', period: every }),
    threshold: longestWait.toMilliseconds(),
    anchor: 'late-relay',
    says: 'The relay reads records older than 15 minutes: events are published late, and records older than 23 hours are given up. Look at its errors and its targets.',
  },
  RelayFails: {
    metric: relay.metricErrors({ period: every }),
    threshold: 1,
    anchor: 'relay-errors',
    says: 'The relay ended with an error: its batch comes back, and newer events wait for it. Look at its log.',
  },
  RelayIsThrottled: {
    metric: relay.metricThrottles({ period: every }),
    threshold: 1,
    anchor: 'throttled',
    says: 'The relay is throttled: its account has no concurrency left for it. Ask for more, or cap the workers.',
  },
});

/** What is watched of the sweeper. */
export const watchedSweeper = (sweeper: lambda.Function): AllWatched => ({
  SweeperFails: {
    metric: sweeper.metricErrors({ period: every }),
    threshold: 1,
    anchor: 'orphans',
    says: 'The sweeper ended with an error: orphans stay and cost storage, nothing else. Look at its log.',
  },
});

/** What is watched of a queue and its function. */
export const watchedQueue = (name: string, of: QueueFunction): AllWatched => ({
  ...ofMessages(name, of),
  ...ofInvocations(name, of.function),
});

const ofMessages = (name: string, { queue, deadLetters }: QueueFunction): AllWatched => ({
  [`${name}-waits`]: {
    metric: queue.metricApproximateAgeOfOldestMessage({ period: every }),
    threshold: longestWait.toSeconds(),
    anchor: 'waiting',
    says: `A message of ${name} has waited for 15 minutes: its group is blocked, or its workers are too few. Find the failure that repeats, or raise maxConcurrency.`,
  },
  [`${name}-dead-letters`]: {
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: every }),
    threshold: 1,
    anchor: 'dead-letters',
    says: `A message of ${name} was dead-lettered: its reason is its attribute, or the queue gave it up. Mend the cause, then put it back.`,
  },
});

const ofInvocations = (name: string, worker: lambda.Function): AllWatched => ({
  [`${name}-fails`]: {
    metric: worker.metricErrors({ period: every }),
    threshold: 1,
    anchor: 'worker-errors',
    says: `An invocation of ${name} ended with an error, a crash or at its timeout: its messages come back. Look at its log.`,
  },
  [`${name}-throttled`]: {
    metric: worker.metricThrottles({ period: every }),
    threshold: 1,
    anchor: 'throttled',
    says: `${name} is throttled: its account has no concurrency left for it. Ask for more, or set maxConcurrency.`,
  },
  [`${name}-nearly-late`]: {
    metric: worker.metricDuration({ statistic: 'max', period: every }),
    threshold: Math.round((worker.timeout ?? Duration.minutes(1)).toMilliseconds() * 0.9),
    anchor: 'nearly-late',
    says: `An invocation of ${name} took nine tenths of its timeout: give it more time, or smaller batches.`,
  },
});
