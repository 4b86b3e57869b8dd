import {
  Duration,
  type aws_dynamodb as dynamodb,
  aws_events as events,
  type aws_lambda as lambda,
  type aws_logs as logs,
  Stack,
  type aws_s3 as s3,
  type aws_sns as sns,
  type aws_sqs as sqs,
  aws_events_targets as targets,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { environment } from '../kernel/settings.ts';
import { allow, grantTable } from './grants.ts';
import { nodeFunction } from './node-function.ts';
import { ownEntry } from './own-entry.ts';
import type { FunctionProps, SharedProps } from './props.ts';
import type { Tables } from './tables.ts';

/** What a doctor looks at. */
export interface DoctorProps extends SharedProps {
  readonly own: FunctionProps | undefined;
  readonly tables: Tables;
  readonly bucket: s3.Bucket;
  readonly topic: sns.Topic;
  /** With their functions, by names of theirs. */
  readonly mapped: ReadonlyMap<string, Mapped>;
  readonly environment: Readonly<Record<string, string>>;
}

/** A function behind a mapping, and the queue before it; a relay has none. */
export interface Mapped {
  readonly mapping: lambda.EventSourceMapping;
  readonly function: lambda.Function;
  readonly queue?: sqs.Queue;
}

/** Often enough for alarms that look every 15 minutes, and rare enough to cost nothing. */
const every = Duration.minutes(15);

/** The function that looks whether the stack is well, and its schedule; it reads, and changes nothing. */
export class Doctor extends Construct {
  readonly function: lambda.Function;
  /** Gets a JSON line per finding, with `kind: "doctor-finding"`. */
  readonly logGroup: logs.ILogGroup;

  constructor(scope: Construct, id: string, props: DoctorProps) {
    super(scope, id);
    const { own = { entry: ownEntry('doctor') } } = props;
    this.function = nodeFunction(this, 'Function', {
      ...props,
      ...own,
      environment: {
        ...own.environment,
        ...props.environment,
        [environment.mappings]: Stack.of(this).toJsonString(idsOf(props.mapped)),
      },
    });
    this.logGroup = this.function.logGroup;
    new events.Rule(this, 'Schedule', {
      schedule: events.Schedule.rate(every),
      targets: [new targets.LambdaFunction(this.function)],
    });
    this.#letLook(props);
  }

  /** Listing mappings takes no narrower resource than all of the account's, so each is read by its id (service authorization reference, "AWS Lambda"). */
  #letLook({ tables, bucket, topic, mapped }: DoctorProps): void {
    const arnsOf = (all: readonly dynamodb.Table[]) => all.map(({ tableArn }) => tableArn);
    const of = [...mapped.values()];
    const queues = of.flatMap(({ queue }) => queue?.queueArn ?? []);
    allow(
      this.function,
      ['dynamodb:DescribeTable'],
      arnsOf([tables.jobs, tables.ledger, tables.care]),
    );
    grantTable(this.function, tables.ledger, ['read']);
    allow(this.function, ['s3:ListBucket'], [bucket.bucketArn]);
    allow(this.function, ['sns:GetTopicAttributes'], [topic.topicArn]);
    allow(this.function, ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'], queues);
    allow(
      this.function,
      ['lambda:GetEventSourceMapping'],
      of.map(({ mapping }) => mapping.eventSourceMappingArn),
    );
    allow(
      this.function,
      ['lambda:GetFunctionConfiguration'],
      of.flatMap((one) => (one.queue === undefined ? [] : [one.function.functionArn])),
    );
  }
}

/** The mappings' ids by their names. */
export const idsOf = (mapped: ReadonlyMap<string, Mapped>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...mapped].map(([name, { mapping }]) => [name, mapping.eventSourceMappingId]),
  );
