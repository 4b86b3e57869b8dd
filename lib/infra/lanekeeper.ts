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
import { type Job, ownLimits } from '../handler/define-job.ts';
import { permanent } from '../kernel/failure.ts';
import { environment, tables, targets } from '../kernel/settings.ts';
import { Alarms } from './alarms.ts';
import { allow, everyUse, grantObjects, grantTable } from './grants.ts';
import type { ConsumerProps, LanekeeperProps } from './props.ts';
import { QueueFunction } from './queue-function.ts';
import { Relay } from './relay.ts';
import { ResultBucket } from './result-bucket.ts';
import { Sweeper } from './sweeper.ts';
import { Tables } from './tables.ts';

/**
 * All that some jobs need: queues with their workers, tables, a bucket, a topic with the consumers' queues, relay and
 * sweeper. Two numbers that don't agree fail at synth, in a sentence that shows both.
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
  readonly alarms: readonly cloudwatch.Alarm[];
  /** By the job's name. */
  readonly workers: ReadonlyMap<string, QueueFunction>;
  /** By the consumer's name. */
  readonly consumers: ReadonlyMap<string, QueueFunction>;
  readonly #props: LanekeeperProps;
  readonly #bucket: ResultBucket;

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
    this.alarms = new Alarms(this, 'Alarms', {
      relay: this.relay.function,
      behindQueues: new Map([...this.workers, ...this.consumers]),
      told: props.alarms,
    }).alarms;
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

  get #environment(): Readonly<Record<string, string>> {
    const { jobs, ledger, care } = this.tables;
    return {
      [environment.tables]: Stack.of(this).toJsonString({
        [tables.jobs]: jobs.tableName,
        [tables.ledger]: ledger.tableName,
        [tables.care]: care.tableName,
      }),
      [environment.bucket]: this.bucket.bucketName,
    };
  }

  /** Where events go: what the relay alone is told. */
  get #targets(): Readonly<Record<string, string>> {
    const commands = [...this.workers].map(
      ([name, { queue }]) => [targets.commands(name), queue.queueUrl] as const,
    );
    return { [targets.events]: this.topic.topicArn, ...Object.fromEntries(commands) };
  }

  #worker(one: LanekeeperProps['jobs'][number]): QueueFunction {
    const { name } = one.job;
    const worker = new QueueFunction(this, `Job-${name}`, {
      ...this.#props,
      ...one,
      environment: { ...one.environment, ...this.#environment },
      asks: {
        name: `job "${name}"`,
        counts: true,
        limits: ownLimits(one.job),
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
      },
      asks: { name: `consumer "${name}"`, counts: true },
    });
    this.topic.addSubscription(
      new subscriptions.SqsSubscription(consumer.queue, { rawMessageDelivery: true }),
    );
    grantTable(consumer.function, this.tables.care, everyUse);
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
      environment: {
        ...this.#environment,
        [environment.targets]: Stack.of(this).toJsonString(this.#targets),
      },
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
        tables: {
          [tables.jobs]: this.tables.jobs.tableName,
          [tables.ledger]: this.tables.ledger.tableName,
          [tables.care]: this.tables.care.tableName,
        },
        bucket: this.bucket.bucketName,
        targets: this.#targets,
      }),
    });
  }
}

function roleOf({ role }: lambda.Function) {
  if (role !== undefined) return role;
  throw permanent('role-missing', 'the sweeper has no role of its own');
}

const consumerName = /^[A-Za-z0-9-]{1,64}$/;

function checkNames({ jobs, consumers = {} }: LanekeeperProps): void {
  if (jobs.length === 0) throw permanent('jobs-missing', 'a Lanekeeper runs at least one job');
  const names = jobs.map(({ job }) => job.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw permanent('job-twice', `the job "${twice}" is named twice, and runs behind one queue`);
  const odd = Object.keys(consumers).find((name) => !consumerName.test(name));
  if (odd !== undefined)
    throw permanent(
      'consumer-name-invalid',
      `a consumer is named by 1 to 64 letters, digits and dashes, got "${odd}"`,
    );
}
