import {
  type aws_cloudwatch as cloudwatch,
  type aws_dynamodb as dynamodb,
  type aws_iam as iam,
  type aws_lambda as lambda,
  Stack,
  type aws_s3 as s3,
  type aws_sqs as sqs,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { environment, tables } from '../kernel/settings.ts';
import { Alarms } from './alarms.ts';
import { Counts, tells } from './counts.ts';
import { grantCare } from './grants.ts';
import type { OrderedWorkerProps } from './props.ts';
import { QueueFunction } from './queue-function.ts';
import { ResultBucket } from './result-bucket.ts';
import { careTable } from './tables.ts';
import { watchedGroups } from './watched-counts.ts';
import { watchedQueue } from './watched-functions.ts';

/**
 * A FIFO queue, its FIFO dead-letter queue and one function: for a `fifoHandler` without jobs.
 *
 * @example
 * import { OrderedWorker } from 'lanekeeper/infra';
 *
 * new OrderedWorker(stack, 'Orders', { entry: 'functions/orders.ts' }).grantSend(shop);
 */
export class OrderedWorker extends Construct {
  readonly queue: sqs.Queue;
  readonly deadLetters: sqs.Queue;
  readonly worker: lambda.Function;
  /** Where failures are counted, what was handled is remembered and groups lie parked, if it remembers. */
  readonly care: dynamodb.Table | undefined;
  /** Where parked messages lie that are too large for a row, if it remembers. */
  readonly bucket: s3.Bucket | undefined;
  readonly alarms: readonly cloudwatch.Alarm[];

  constructor(scope: Construct, id: string, props: OrderedWorkerProps) {
    super(scope, id);
    const { remembers = false, maxReceiveCount } = props;
    this.care = remembers ? careTable(this, 'Care', props) : undefined;
    this.bucket = remembers ? new ResultBucket(this, 'Parked', props).bucket : undefined;
    const made = new QueueFunction(this, 'Worker', {
      ...props,
      environment: { ...props.environment, ...this.#environment },
      asks: {
        name: `queue "${id}"`,
        counts: remembers,
        ...(maxReceiveCount === undefined ? {} : { maxReceiveCount }),
      },
    });
    this.queue = made.queue;
    this.deadLetters = made.deadLetters;
    this.worker = made.function;
    const { care, bucket, queue } = this;
    if (care !== undefined && bucket !== undefined) grantCare(this.worker, { care, bucket, queue });
    this.alarms = props.watched === false ? [] : alarmsOf(this, made, props);
  }

  /** Lets somebody send to its queue. */
  grantSend(to: iam.IGrantable): iam.Grant {
    return this.queue.grantSendMessages(to);
  }

  get #environment(): Readonly<Record<string, string>> {
    const { care, bucket } = this;
    if (care === undefined || bucket === undefined) return {};
    const names = { [tables.care]: care.tableName };
    return {
      [environment.tables]: Stack.of(this).toJsonString(names),
      [environment.bucket]: bucket.bucketName,
    };
  }
}

function alarmsOf(
  scope: OrderedWorker,
  made: QueueFunction,
  { alarms: told }: OrderedWorkerProps,
): readonly cloudwatch.Alarm[] {
  const counts = new Counts(scope, 'Counts', {
    Worker: { logs: made.function.logGroup, kinds: tells.consumer },
  });
  const watched = { ...watchedQueue(scope.node.id, made), ...watchedGroups(counts) };
  return new Alarms(scope, 'Alarms', { watched, told }).alarms;
}
