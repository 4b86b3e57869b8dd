import {
  aws_cloudwatch as cloudwatch,
  Duration,
  type aws_lambda as lambda,
  type aws_sns as sns,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Counts } from './counts.ts';
import type { QueueFunction } from './queue-function.ts';
import { every, longestWait } from './watched.ts';

/** What a dashboard shows. */
export interface Shown {
  readonly relay: lambda.Function;
  readonly reconcile?: unknown;
  readonly topic: sns.Topic;
  /** Their queues get commands from the relay. */
  readonly workers: readonly QueueFunction[];
  readonly consumers: readonly QueueFunction[];
  readonly counts: Counts;
}

type Row = readonly cloudwatch.IWidget[];

/** From what users see to what causes it: queues, relay, one row per function behind a queue, fences. */
export function dashboardOf(scope: Construct, id: string, shown: Shown): cloudwatch.Dashboard {
  const queues = [...shown.workers, ...shown.consumers];
  const rows: readonly Row[] = [
    usersRow(queues),
    relayRow(shown),
    ...(shown.reconcile === undefined ? [] : [reconcileRow(shown.counts)]),
    ...queues.map(workerRow),
    fencesRow(shown.counts),
  ];
  return new cloudwatch.Dashboard(scope, id, {
    defaultInterval: Duration.hours(12),
    widgets: rows.map((row) => [...row]),
  });
}

const usersRow = (queues: readonly QueueFunction[]): Row => [
  graph('Oldest message', {
    left: queues.map(({ queue, node }) =>
      queue.metricApproximateAgeOfOldestMessage({ label: node.id, period: every }),
    ),
    leftAnnotations: [{ value: longestWait.toSeconds(), label: 'alarm' }],
  }),
  graph('Messages visible', {
    left: queues.map(({ queue, node }) =>
      queue.metricApproximateNumberOfMessagesVisible({ label: node.id, period: every }),
    ),
  }),
  graph('Dead letters', {
    left: queues.map(({ deadLetters, node }) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ label: node.id, period: every }),
    ),
  }),
];

/** Published is what its targets took: by the topic's count and the queues', so that the relay prints nothing of it. */
const relayRow = ({ relay, topic, workers, counts }: Shown): Row => [
  graph('Relay: age of what it reads', {
    left: [relay.metric('IteratorAge', { statistic: 'max', period: every })],
    leftAnnotations: [{ value: longestWait.toMilliseconds(), label: 'alarm' }],
  }),
  graph('Relay: published', {
    left: [
      topic.metricNumberOfMessagesPublished({ label: 'events', period: every }),
      ...workers.map(({ queue, node }) =>
        queue.metricNumberOfMessagesSent({ label: node.id, period: every }),
      ),
    ],
  }),
  graph('Relay: set aside and held', {
    left: [counted(counts, 'event-set-aside'), counted(counts, 'publish-held')],
  }),
];

const reconcileRow = (counts: Counts): Row => [
  graph('Reconcile: had to send', { left: [counted(counts, 'events-reconciled')] }),
  graph('Reconcile: age of the oldest unproved event', {
    left: [counts.metric('backlog-oldest', { label: 'oldest, ms', statistic: 'max' })],
  }),
  graph('Reconcile: set aside, and idle jobs', {
    left: [
      counts.metric('backlog-aside', { label: 'set aside', statistic: 'max' }),
      counts.metric('backlog-idle', { label: 'idle', statistic: 'max' }),
    ],
  }),
];

const workerRow = ({ function: worker, node: { id: name } }: QueueFunction): Row => [
  graph(`${name}: duration`, {
    left: ['p50', 'p99'].map((statistic) =>
      worker.metricDuration({ statistic, label: statistic, period: every }),
    ),
    leftAnnotations: [{ value: worker.timeout?.toMilliseconds() ?? 0, label: 'timeout' }],
  }),
  graph(`${name}: errors and throttles`, {
    left: [
      worker.metricErrors({ label: 'errors', period: every }),
      worker.metricThrottles({ label: 'throttles', period: every }),
    ],
  }),
  graph(`${name}: concurrent`, {
    left: [worker.metric('ConcurrentExecutions', { statistic: 'max', period: every })],
  }),
];

const fencesRow = (counts: Counts): Row => [
  graph('Fenced writes and takeovers', {
    left: [counted(counts, 'write-fenced'), counted(counts, 'job-taken-over')],
  }),
  graph('Orphans collected', { left: [counted(counts, 'orphans-collected')] }),
  graph('Groups parked, messages dead-lettered, commands let go', {
    left: [
      counted(counts, 'group-parked'),
      counted(counts, 'message-dead-lettered'),
      counted(counts, 'command-let-go'),
    ],
  }),
];

const counted = (counts: Counts, kind: Parameters<Counts['metric']>[0]): cloudwatch.Metric =>
  counts.metric(kind, { label: kind });

/** A third of a row, from zero on. */
const graph = (
  title: string,
  { left, leftAnnotations = [] }: Pick<cloudwatch.GraphWidgetProps, 'left' | 'leftAnnotations'>,
): cloudwatch.GraphWidget =>
  new cloudwatch.GraphWidget({
    title,
    width: 8,
    leftYAxis: { min: 0 },
    left: left ?? [],
    leftAnnotations,
  });
