import type {
  aws_cloudwatch as cloudwatch,
  aws_lambda as lambda,
  aws_logs as logs,
  aws_sns as sns,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { Counts, type Teller, tells } from './counts.ts';
import { dashboardOf } from './dashboard.ts';
import type { LanekeeperProps } from './props.ts';
import type { QueueFunction } from './queue-function.ts';
import type { Reconcile } from './reconcile.ts';
import type { AllWatched } from './watched.ts';
import { watchedDoctor, watchedGroups, watchedJobs, watchedReconcile } from './watched-counts.ts';
import { watchedQueue, watchedRelay, watchedSweeper } from './watched-functions.ts';

/** The parts of a stack that are watched. */
export interface WatchProps
  extends Pick<LanekeeperProps, 'alarms' | 'watched' | 'dashboard' | 'data'> {
  readonly relay: lambda.Function;
  readonly sweeper: lambda.Function;
  readonly reconcile?: Reconcile;
  readonly topic: sns.Topic;
  readonly workers: readonly QueueFunction[];
  readonly consumers: readonly QueueFunction[];
  /** The log of a function that runs doctor on a schedule. @default none, and no alarm on it */
  readonly doctor?: logs.ILogGroup;
}

/** What watches a stack. */
export interface Watch {
  readonly counts: Counts;
  readonly alarms: readonly cloudwatch.Alarm[];
  readonly dashboard: cloudwatch.Dashboard | undefined;
  /** Alarms that ring where something may be lost. */
  readonly losses: readonly cloudwatch.Alarm[];
}

/** Counts lines of a stack's logs, alarms on them and on the services' own metrics, and draws a dashboard. */
export function watch(scope: Construct, props: WatchProps): Watch {
  const { watched = true, dashboard = props.data !== 'throw-away', alarms: told } = props;
  const counts = new Counts(scope, 'Counts', watched ? tellers(props) : {});
  if (!watched) return { counts, alarms: [], losses: [], dashboard: undefined };
  const { alarms } = new Alarms(scope, 'Alarms', { watched: allWatched(props, counts), told });
  return {
    counts,
    alarms,
    losses: alarms.filter(({ node }) => losses.has(node.id)),
    dashboard: dashboard ? dashboardOf(scope, 'Dashboard', { ...props, counts }) : undefined,
  };
}

/** A relay that is late may have lost what it didn't reach, and doctor finds mappings that are disabled. */
const losses: ReadonlySet<string> = new Set(['RelayIsLate', 'DoctorFindsSomething']);

function tellers(props: WatchProps): Readonly<Record<string, Teller>> {
  const { relay, sweeper, reconcile, workers, consumers, doctor } = props;
  const behind = (all: readonly QueueFunction[], kinds: Teller['kinds']) =>
    all.map((one) => [one.node.id, { logs: one.function.logGroup, kinds }] as const);
  return {
    Relay: { logs: relay.logGroup, kinds: tells.relay },
    Sweeper: { logs: sweeper.logGroup, kinds: tells.sweeper },
    ...(reconcile === undefined
      ? {}
      : { Reconcile: { logs: reconcile.function.logGroup, kinds: tells.reconcile } }),
    ...Object.fromEntries(behind(workers, tells.worker)),
    ...Object.fromEntries(behind(consumers, tells.consumer)),
    ...(doctor === undefined ? {} : { Doctor: { logs: doctor, kinds: tells.doctor } }),
  };
}

function allWatched(props: WatchProps, counts: Counts): AllWatched {
  const { relay, sweeper, reconcile, workers, consumers, doctor } = props;
  const queues = [...workers, ...consumers].map((one) => watchedQueue(one.node.id, one));
  return {
    ...watchedRelay(relay),
    ...watchedSweeper(sweeper),
    ...watchedJobs(counts),
    ...watchedGroups(counts),
    ...(reconcile === undefined ? {} : watchedReconcile(reconcile, counts)),
    ...(doctor === undefined ? {} : watchedDoctor(counts)),
    ...Object.assign({}, ...queues),
  };
}
