import {
  type aws_cloudwatch as cloudwatch,
  Duration,
  type aws_dynamodb as dynamodb,
  aws_events as events,
  type aws_kms as kms,
  type aws_lambda as lambda,
  aws_events_targets as targets,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { permanent } from '../kernel/failure.ts';
import { environment, timeIndex } from '../kernel/settings.ts';
import { allow, grantIndex, grantTable } from './grants.ts';
import { nodeFunction } from './node-function.ts';
import { ownEntry } from './own-entry.ts';
import type { FunctionProps, ReconcileProps, SharedProps } from './props.ts';

/** What reconcile reads and writes, and how often. */
export interface ReconcilesProps extends SharedProps, ReconcileProps {
  readonly own: FunctionProps | undefined;
  readonly jobs: dynamodb.Table;
  readonly ledger: dynamodb.Table;
  readonly environment: Readonly<Record<string, string>>;
}

/** As long as Lambda allows, since it goes on where it stopped and a large table takes its time. */
const timeout = Duration.minutes(15);

/** The function that sends what nothing proves was published, its schedule, and what else calls it. */
export class Reconcile extends Construct {
  readonly function: lambda.Function;
  readonly every: Duration;

  constructor(scope: Construct, id: string, props: ReconcilesProps) {
    super(scope, id);
    const { own = { entry: ownEntry('reconcile'), timeout }, jobs, ledger } = props;
    const { every = Duration.hours(1), timeIndex: isIndexed = false } = props;
    this.every = checked(every);
    this.function = nodeFunction(this, 'Function', {
      ...props,
      ...own,
      environment: {
        ...own.environment,
        ...props.environment,
        ...(isIndexed ? { [environment.timeIndex]: 'on' } : {}),
      },
    });
    new events.Rule(this, 'Schedule', {
      schedule: events.Schedule.rate(this.every),
      targets: [new targets.LambdaFunction(this.function)],
    });
    grantTable(this.function, jobs, ['read', 'scan']);
    if (isIndexed) grantIndex(this.function, jobs, timeIndex.index);
    grantTable(this.function, ledger, ['read', 'query', 'put', 'update', 'delete']);
  }

  /** Lets it publish there. */
  publishesTo(actions: readonly string[], arns: readonly string[], key?: kms.IKey): void {
    if (arns.length > 0) allow(this.function, actions, arns);
    key?.grantEncryptDecrypt(this.function);
  }

  /** Has it run as soon as one of these alarms rings, and not only when its time comes. */
  runsOn(alarms: readonly cloudwatch.Alarm[]): void {
    if (alarms.length === 0) return;
    new events.Rule(this, 'Alarmed', {
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        resources: alarms.map(({ alarmArn }) => alarmArn),
        detail: { state: { value: ['ALARM'] } },
      },
      // Without the alarm's event, which asks for nothing that reconcile knows.
      targets: [
        new targets.LambdaFunction(this.function, { event: events.RuleTargetInput.fromObject({}) }),
      ],
    });
  }
}

/** @throws Failure `numbers-disagree` for a schedule that would run over itself, or find too little too late */
function checked(every: Duration): Duration {
  const minutes = every.toMinutes();
  if (minutes >= 15 && minutes <= 12 * 60) return every;
  throw permanent(
    'numbers-disagree',
    `reconcile.every lies between 15 minutes, how long a run may take, and 12 hours, since an alarm looks at two of them within a day; got ${minutes} minutes`,
  );
}
