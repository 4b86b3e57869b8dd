import {
  Duration,
  aws_events as events,
  type aws_lambda as lambda,
  type aws_logs as logs,
  Stack,
  type aws_s3 as s3,
  type aws_sns as sns,
  aws_events_targets as targets,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { environment, targets as names } from '../kernel/settings.ts';
import { allow, grantTable } from './grants.ts';
import { nodeFunction } from './node-function.ts';
import { ownEntry } from './own-entry.ts';
import type { FunctionProps, SharedProps } from './props.ts';
import type { QueueFunction } from './queue-function.ts';
import type { Relay } from './relay.ts';
import type { Tables } from './tables.ts';

/** What a doctor looks at. */
export interface DoctorProps extends SharedProps {
  readonly own: FunctionProps | undefined;
  readonly lanekeeper: Looked;
  readonly environment: Readonly<Record<string, string>>;
}

/** The parts of a stack at which it looks. */
export interface Looked {
  readonly tables: Tables;
  readonly bucket: s3.Bucket;
  readonly topic: sns.Topic;
  readonly relay: Relay;
  readonly workers: ReadonlyMap<string, QueueFunction>;
  readonly consumers: ReadonlyMap<string, QueueFunction>;
}

/** Often enough for alarms that look every 15 minutes, and rare enough to cost nothing. */
const every = Duration.minutes(15);

/** The function that looks whether the stack is well, and its schedule; it reads, and changes nothing. */
export class Doctor extends Construct {
  readonly function: lambda.Function;
  /** Gets a JSON line per finding, of kind `doctor-finding` for an error and `doctor-warning` for a warning. */
  readonly logGroup: logs.ILogGroup;
  /** The ids of the stack's mappings: a job's by the name of its target, `consumer-…`, and `relay`. */
  readonly mappings: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: DoctorProps) {
    super(scope, id);
    const { own = { entry: ownEntry('doctor') }, lanekeeper } = props;
    this.mappings = idsOf(lanekeeper);
    this.function = nodeFunction(this, 'Function', {
      ...props,
      ...own,
      environment: {
        ...own.environment,
        ...props.environment,
        [environment.mappings]: Stack.of(this).toJsonString(this.mappings),
      },
    });
    this.logGroup = this.function.logGroup;
    new events.Rule(this, 'Schedule', {
      schedule: events.Schedule.rate(every),
      targets: [new targets.LambdaFunction(this.function)],
    });
    this.#letLook(lanekeeper);
  }

  /** Listing mappings takes no narrower resource than all of the account's, so each is read by its id (service authorization reference, "AWS Lambda"). */
  #letLook({ tables, bucket, topic, relay, workers, consumers }: Looked): void {
    const behindQueues = [...workers.values(), ...consumers.values()];
    const look = (actions: readonly string[], arns: readonly string[]) =>
      allow(this.function, actions, arns);
    look(
      ['dynamodb:DescribeTable'],
      [tables.jobs, tables.ledger, tables.care].map(({ tableArn }) => tableArn),
    );
    grantTable(this.function, tables.ledger, ['read']);
    look(['s3:ListBucket'], [bucket.bucketArn]);
    look(['sns:GetTopicAttributes'], [topic.topicArn]);
    look(
      ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
      behindQueues.map(({ queue }) => queue.queueArn),
    );
    look(
      ['lambda:GetEventSourceMapping'],
      [...behindQueues, relay].map(({ mapping }) => mapping.eventSourceMappingArn),
    );
    look(
      ['lambda:GetFunctionConfiguration'],
      behindQueues.map((one) => one.function.functionArn),
    );
  }
}

function idsOf({ relay, workers, consumers }: Looked): Readonly<Record<string, string>> {
  const mapped = [
    ...[...workers].map(([name, { mapping }]) => [names.commands(name), mapping] as const),
    ...[...consumers].map(([name, { mapping }]) => [`consumer-${name}`, mapping] as const),
    ['relay', relay.mapping] as const,
  ];
  return Object.fromEntries(mapped.map(([name, { eventSourceMappingId: id }]) => [name, id]));
}
