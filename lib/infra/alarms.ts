import {
  aws_cloudwatch_actions as actions,
  aws_cloudwatch as cloudwatch,
  Duration,
  type aws_lambda as lambda,
  type aws_sns as sns,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { QueueFunction } from './queue-function.ts';

/** What is watched, and who is told. */
export interface AlarmsProps {
  readonly relay: lambda.Function;
  /** By name, jobs and consumers. */
  readonly behindQueues: ReadonlyMap<string, QueueFunction>;
  readonly told: sns.ITopic | undefined;
}

/** What is looked at, and from when on it is too much. */
interface Watched {
  readonly metric: cloudwatch.Metric;
  readonly threshold: number;
  readonly says: string;
}

const every = Duration.minutes(5);

/** How long a command may wait before somebody should look. */
const longestWait = Duration.minutes(15);

/** Alarms on what is stuck: each says in its description what it means and what to look at. */
export class Alarms extends Construct {
  readonly alarms: readonly cloudwatch.Alarm[];

  constructor(scope: Construct, id: string, { relay, behindQueues, told }: AlarmsProps) {
    super(scope, id);
    const all: Readonly<Record<string, Watched>> = {
      ...ofRelay(relay),
      ...Object.assign({}, ...[...behindQueues].map(([name, one]) => ofQueue(name, one))),
    };
    this.alarms = Object.entries(all).map(([name, { metric, threshold, says }]) => {
      const alarm = new cloudwatch.Alarm(this, name, {
        metric,
        threshold,
        evaluationPeriods: 1,
        comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
        alarmDescription: says,
      });
      if (told !== undefined) alarm.addAlarmAction(new actions.SnsAction(told));
      return alarm;
    });
  }
}

function ofRelay(relay: lambda.Function): Readonly<Record<string, Watched>> {
  return {
    RelayIsLate: {
      metric: relay.metric('IteratorAge', { statistic: 'max', period: every }),
      threshold: longestWait.toMilliseconds(),
      says: 'The relay reads records older than 15 minutes: events are published late. Look at its errors and its targets.',
    },
    RelayFails: {
      metric: relay.metricErrors({ period: every }),
      threshold: 1,
      says: 'The relay ended with an error: look at its log.',
    },
    RelayIsThrottled: {
      metric: relay.metricThrottles({ period: every }),
      threshold: 1,
      says: 'The relay is throttled: its account has no concurrency left for it.',
    },
  };
}

function ofQueue(
  name: string,
  { queue, deadLetters, function: worker }: QueueFunction,
): Readonly<Record<string, Watched>> {
  const timeout = worker.timeout ?? Duration.minutes(1);
  return {
    [`${name}-waits`]: {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: every }),
      threshold: longestWait.toSeconds(),
      says: `A message of ${name} has waited for 15 minutes: its group is blocked, or its workers are too few.`,
    },
    [`${name}-dead-letters`]: {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: every }),
      threshold: 1,
      says: `A message of ${name} was dead-lettered: its reason is its attribute, or the queue gave it up.`,
    },
    [`${name}-fails`]: {
      metric: worker.metricErrors({ period: every }),
      threshold: 1,
      says: `An invocation of ${name} ended with an error, a crash or at its timeout: look at its log.`,
    },
    [`${name}-throttled`]: {
      metric: worker.metricThrottles({ period: every }),
      threshold: 1,
      says: `${name} is throttled: its account has no concurrency left for it.`,
    },
    [`${name}-nearly-late`]: {
      metric: worker.metricDuration({ statistic: 'max', period: every }),
      threshold: Math.round(timeout.toMilliseconds() * 0.9),
      says: `An invocation of ${name} took nine tenths of its timeout: give it more time, or smaller batches.`,
    },
  };
}
