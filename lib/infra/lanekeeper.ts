import {
  CfnOutput,
  type aws_cloudwatch as cloudwatch,
  type aws_dynamodb as dynamodb,
  type aws_lambda as lambda,
  Stack,
  type aws_s3 as s3,
  aws_sns as sns,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { type Job, ownLimits } from '../handler/define-job.ts';
import type { CountedKind } from '../kernel/counted.ts';
import { permanent } from '../kernel/failure.ts';
import { environment, tables, targets } from '../kernel/settings.ts';
import { checkNames } from './check-names.ts';
import { consumer } from './consumer.ts';
import type { Counts } from './counts.ts';
import { Doctor } from './doctor.ts';
import { everyUse, grantObjects, grantTable } from './grants.ts';
import type { LanekeeperProps } from './props.ts';
import { QueueFunction } from './queue-function.ts';
import { Reconcile } from './reconcile.ts';
import { Relay } from './relay.ts';
import { ResultBucket } from './result-bucket.ts';
import { Sweeper } from './sweeper.ts';
import { Tables } from './tables.ts';
import { watch } from './watch.ts';

/**
 * All that some jobs need: queues with their workers, tables, a bucket, a topic with the consumers' queues, relay,
 * sweeper, reconcile and doctor. Two numbers that don't agree fail at synth, in a sentence that shows both.
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
  readonly reconcile: Reconcile;
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
    const timeIndex = props.reconcile?.timeIndex === true;
    this.tables = new Tables(this, 'Tables', { ...props, timeIndex });
    this.#bucket = new ResultBucket(this, 'Results', props);
    this.topic = new sns.Topic(this, 'Events', {
      fifo: true,
      contentBasedDeduplication: false,
      enforceSSL: true,
      ...(encryptionKey === undefined ? {} : { masterKey: encryptionKey }),
    });
    this.workers = new Map(props.jobs.map((one) => [one.job.name, this.#worker(one)]));
    this.consumers = new Map(
      Object.entries(props.consumers ?? {}).map(([name, one]) => [
        name,
        consumer(this, name, { ...props, ...one, lanekeeper: this }),
      ]),
    );
    this.relay = this.#relay();
    this.reconcile = this.#reconcile();
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
      reconcile: this.reconcile,
      topic: this.topic,
      workers: [...this.workers.values()],
      consumers: [...this.consumers.values()],
      doctor: this.doctor.logGroup,
    });
    this.alarms = watching.alarms;
    this.dashboard = watching.dashboard;
    this.#counts = watching.counts;
    this.reconcile.runsOn(watching.losses);
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

  #relay(): Relay {
    const relay = new Relay(this, 'Relay', {
      ...this.#props,
      own: this.#props.own?.relay,
      jobs: this.tables.jobs,
      ledger: this.tables.ledger,
      environment: this.#wholeEnvironment,
    });
    this.#letPublish(relay);
    return relay;
  }

  #reconcile(): Reconcile {
    const reconcile = new Reconcile(this, 'Reconcile', {
      ...this.#props,
      ...this.#props.reconcile,
      own: this.#props.own?.reconcile,
      jobs: this.tables.jobs,
      ledger: this.tables.ledger,
      environment: this.#wholeEnvironment,
    });
    this.#letPublish(reconcile);
    return reconcile;
  }

  /** To the queues of all commands, and where events go. */
  #letPublish(publisher: Pick<Relay, 'publishesTo'>): void {
    const { encryptionKey, bus } = this.#props;
    const queues = [...this.workers.values()].map(({ queue }) => queue.queueArn);
    publisher.publishesTo(['sqs:SendMessage'], queues, encryptionKey);
    publisher.publishesTo(['sns:Publish'], [this.topic.topicArn]);
    if (bus !== undefined) publisher.publishesTo(['events:PutEvents'], [bus.eventBusArn]);
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
