import {
  CfnOutput,
  type aws_cloudwatch as cloudwatch,
  type aws_dynamodb as dynamodb,
  type aws_lambda as lambda,
  Stack,
  type aws_s3 as s3,
  aws_sns as sns,
  aws_sns_subscriptions as subscriptions,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Job } from '../handler/define-job.ts';
import type { CountedKind } from '../kernel/counted.ts';
import { permanent } from '../kernel/failure.ts';
import { environment, tables, targets } from '../kernel/settings.ts';
import { minutes } from '../kernel/time.ts';
import { checkNames } from './check-names.ts';
import type { Counts } from './counts.ts';
import { Doctor } from './doctor.ts';
import { allow, everyUse, grantCare, grantObjects, grantTable } from './grants.ts';
import type { ConsumerProps, LanekeeperProps } from './props.ts';
import { QueueFunction } from './queue-function.ts';
import { Relay } from './relay.ts';
import { ResultBucket } from './result-bucket.ts';
import { Sweeper } from './sweeper.ts';
import { Tables } from './tables.ts';
import { watch } from './watch.ts';

/**
 * All that some jobs need: queues with their workers, tables, a bucket, a topic with the consumers' queues, relay,
 * sweeper and doctor. Two numbers that don't agree fail at synth, in a sentence that shows both.
 *
 * @example
 * import { Lanekeeper } from 'lanekeeper/infra';
 *
 * new Lanekeeper(stack, 'Lanekeeper', { jobs: [{ job: exportJob, entry: 'functions/export/worker.ts' }] });
 */
export class Lanekeeper extends Construct {
  readonly tables: Tables;
  readonly topic: sns.Topic;
  readonly relay: Relay;
  readonly sweeper: Sweeper;
  readonly doctor: Doctor;
  readonly alarms: readonly cloudwatch.Alarm[];
  readonly dashboard: cloudwatch.Dashboard | undefined;
  /** By the job's name. */
  readonly workers: ReadonlyMap<string, QueueFunction>;
  /** By the consumer's name. */
  readonly consumers: ReadonlyMap<string, QueueFunction>;
  readonly #props: LanekeeperProps;
  readonly #bucket: ResultBucket;
  readonly #counts: Counts;

  constructor(scope: Construct, id: string, props: LanekeeperProps) {
    super(scope, id);
    checkNames(props);
    this.#props = props;
    const { encryptionKey } = props;
    this.tables = new Tables(this, 'Tables', props);
    this.#bucket = new ResultBucket(this, 'Results', props);
    this.topic = new sns.Topic(this, 'Events', {
      fifo: true,
      contentBasedDeduplication: false,
      enforceSSL: true,
      ...(encryptionKey === undefined ? {} : { masterKey: encryptionKey }),
    });
    this.workers = new Map(props.jobs.map((one) => [one.job.name, this.#worker(one)]));
    this.consumers = new Map(
      Object.entries(props.consumers ?? {}).map(([name, one]) => [name, this.#consumer(name, one)]),
    );
    this.relay = this.#relay();
    this.sweeper = new Sweeper(this, 'Sweeper', {
      ...props,
      own: props.own?.sweeper,
      jobs: this.tables.jobs,
      bucket: this.bucket,
      environment: this.#environment,
    });
    this.#bucket.onlyDeletedBy(roleOf(this.sweeper.function));
    this.doctor = new Doctor(this, 'Doctor', {
      ...props,
      own: props.own?.doctor,
      lanekeeper: this,
      environment: this.#wholeEnvironment,
    });
    const watching = watch(this, {
      ...props,
      relay: this.relay.function,
      sweeper: this.sweeper.function,
      topic: this.topic,
      workers: [...this.workers.values()],
      consumers: [...this.consumers.values()],
      doctor: this.doctor.logGroup,
    });
    this.alarms = watching.alarms;
    this.dashboard = watching.dashboard;
    this.#counts = watching.counts;
    this.#tell();
  }

  /** The jobs table. */
  get table(): dynamodb.Table {
    return this.tables.jobs;
  }

  /** The bucket of inputs and results. */
  get bucket(): s3.Bucket {
    return this.#bucket.bucket;
  }

  /** The function that runs a job. @throws Failure `job-unknown` for one that this doesn't have */
  worker(job: Job): lambda.Function {
    const worker = this.workers.get(job.name);
    if (worker !== undefined) return worker.function;
    throw permanent(
      'job-unknown',
      `there is no worker of a job "${job.name}" here, only of ${[...this.workers.keys()].join(', ')}`,
    );
  }

  /** Lets a function use `createJobs`, and sets the environment that `onAws` reads. */
  grantCalls(to: lambda.Function): void {
    for (const [name, value] of Object.entries(this.#environment)) to.addEnvironment(name, value);
    grantTable(to, this.table, ['read', 'put', 'update']);
    grantObjects(to, { bucket: this.bucket, prefix: 'inputs/*' }, ['read', 'write']);
    grantObjects(to, { bucket: this.bucket, prefix: 'results/*' }, ['read']);
  }

  /** How many happenings of a kind there were, in all functions. @default the sum of 5 minutes */
  metric(kind: CountedKind, options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.#counts.metric(kind, options);
  }

  /** Writes of stale attempts that were refused. @default the sum of 5 minutes */
  metricFencedWrites(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric('write-fenced', options);
  }

  /** Groups that were parked. @default the sum of 5 minutes */
  metricParkedGroups(options?: cloudwatch.MetricOptions): cloudwatch.Metric {
    return this.metric('group-parked', options);
  }

  get #environment(): Readonly<Record<string, string>> {
    return {
      [environment.tables]: Stack.of(this).toJsonString(this.#tableNames),
      [environment.bucket]: this.bucket.bucketName,
    };
  }

  /** With where events go: what only relay and doctor are told. */
  get #wholeEnvironment(): Readonly<Record<string, string>> {
    return {
      ...this.#environment,
      [environment.targets]: Stack.of(this).toJsonString(this.#targets),
    };
  }

  get #tableNames(): Readonly<Record<string, string>> {
    const { jobs, ledger, care } = this.tables;
    return {
      [tables.jobs]: jobs.tableName,
      [tables.ledger]: ledger.tableName,
      [tables.care]: care.tableName,
    };
  }

  get #targets(): Readonly<Record<string, string>> {
    const commands = [...this.workers].map(
      ([name, { queue }]) => [targets.commands(name), queue.queueUrl] as const,
    );
    return { [targets.events]: this.topic.topicArn, ...Object.fromEntries(commands) };
  }

  #worker(one: LanekeeperProps['jobs'][number]): QueueFunction {
    const { name, limits } = one.job;
    const isSet = limits.attempt !== minutes(15);
    const worker = new QueueFunction(this, `Job-${name}`, {
      ...this.#props,
      ...one,
      environment: { ...one.environment, ...this.#environment },
      asks: {
        name: `job "${name}"`,
        counts: true,
        ...(isSet ? { attempt: limits.attempt } : {}),
      },
    });
    grantTable(worker.function, this.tables.jobs, ['read', 'put', 'update', 'check']);
    grantTable(worker.function, this.tables.care, everyUse);
    grantObjects(worker.function, { bucket: this.bucket, prefix: 'inputs/*' }, ['read', 'write']);
    grantObjects(worker.function, { bucket: this.bucket, prefix: 'results/*' }, ['read', 'write']);
    return worker;
  }

  /** Raw, so that a message's body is the event itself. */
  #consumer(name: string, one: ConsumerProps): QueueFunction {
    const own = Object.fromEntries(
      Object.entries(one.tables ?? {}).map(([called, { tableName }]) => [called, tableName]),
    );
    const consumer = new QueueFunction(this, `Consumer-${name}`, {
      ...this.#props,
      ...one,
      environment: {
        ...one.environment,
        [environment.tables]: Stack.of(this).toJsonString({
          [tables.care]: this.tables.care.tableName,
          ...(one.fillsGaps === true ? { [tables.jobs]: this.table.tableName } : {}),
          ...own,
        }),
        [environment.bucket]: this.bucket.bucketName,
      },
      asks: { name: `consumer "${name}"`, counts: true },
    });
    this.topic.addSubscription(
      new subscriptions.SqsSubscription(consumer.queue, { rawMessageDelivery: true }),
    );
    const { care } = this.tables;
    grantCare(consumer.function, { care, bucket: this.bucket, queue: consumer.queue });
    if (one.fillsGaps === true) grantTable(consumer.function, this.table, ['read']);
    for (const table of Object.values(one.tables ?? {}))
      grantTable(consumer.function, table, [...everyUse, 'query']);
    return consumer;
  }

  #relay(): Relay {
    const { encryptionKey, bus } = this.#props;
    const relay = new Relay(this, 'Relay', {
      ...this.#props,
      own: this.#props.own?.relay,
      jobs: this.tables.jobs,
      ledger: this.tables.ledger,
      environment: this.#wholeEnvironment,
    });
    const queues = [...this.workers.values()].map(({ queue }) => queue.queueArn);
    relay.publishesTo(['sqs:SendMessage'], queues, encryptionKey);
    relay.publishesTo(['sns:Publish'], [this.topic.topicArn]);
    if (bus !== undefined) allow(relay.function, ['events:PutEvents'], [bus.eventBusArn]);
    return relay;
  }

  /** One output names everything, so that tools find it by the stack's name. */
  #tell(): void {
    new CfnOutput(this, 'Resources', {
      description: 'What lanekeeper made here, by its names',
      value: Stack.of(this).toJsonString({
        tables: this.#tableNames,
        bucket: this.bucket.bucketName,
        targets: this.#targets,
        mappings: this.doctor.mappings,
      }),
    });
  }
}

function roleOf({ role }: lambda.Function) {
  if (role !== undefined) return role;
  throw permanent('role-missing', 'the sweeper has no role of its own');
}
