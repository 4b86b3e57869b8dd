import {
  Duration,
  type aws_dynamodb as dynamodb,
  aws_events as events,
  type aws_lambda as lambda,
  type aws_s3 as s3,
  aws_events_targets as targets,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { attention } from '../kernel/settings.ts';
import { grantIndex, grantObjects, grantTable } from './grants.ts';
import { nodeFunction } from './node-function.ts';
import { ownEntry } from './own-entry.ts';
import type { FunctionProps, SharedProps } from './props.ts';

/** What a sweeper looks at. */
export interface SweeperProps extends SharedProps {
  readonly own: FunctionProps | undefined;
  readonly jobs: dynamodb.Table;
  readonly bucket: s3.Bucket;
  readonly environment: Readonly<Record<string, string>>;
}

/** Any schedule will do; orphans cost storage and nothing else. */
const every = Duration.hours(1);

/** The function that deletes orphans and what an erasure leaves, and its schedule; the only one that may delete in the bucket. */
export class Sweeper extends Construct {
  readonly function: lambda.Function;

  constructor(scope: Construct, id: string, props: SweeperProps) {
    super(scope, id);
    const { own = { entry: ownEntry('sweeper'), timeout: Duration.minutes(5) } } = props;
    this.function = nodeFunction(this, 'Function', {
      ...props,
      ...own,
      environment: { ...own.environment, ...props.environment },
    });
    new events.Rule(this, 'Schedule', {
      schedule: events.Schedule.rate(every),
      targets: [new targets.LambdaFunction(this.function)],
    });
    grantTable(this.function, props.jobs, ['read', 'update']);
    grantIndex(this.function, props.jobs, attention.index);
    for (const prefix of ['results/*', 'inputs/*'] as const)
      grantObjects(this.function, { bucket: props.bucket, prefix }, ['read', 'delete']);
  }
}
