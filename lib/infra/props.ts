import type {
  Duration,
  aws_dynamodb as dynamodb,
  aws_events as events,
  aws_kms as kms,
  aws_lambda_nodejs as nodejs,
  aws_sns as sns,
} from 'aws-cdk-lib';
import type { Job } from '../handler/define-job.ts';

/** One function. */
export interface FunctionProps {
  /** The file that exports `handler`. */
  readonly entry: string;
  /** A queue hides its messages six times as long. @default 1 minute */
  readonly timeout?: Duration;
  /** In MiB. @default 512 */
  readonly memorySize?: number;
  /** @default none beside what `onAws` reads */
  readonly environment?: Readonly<Record<string, string>>;
  /** How this function is bundled. @default as all of the stack */
  readonly bundling?: nodejs.BundlingOptions;
}

/** A function behind a queue. */
export interface WorkerProps extends FunctionProps {
  /** Invocations side by side, from 2 on, SQS's lower bound. @default no cap */
  readonly maxConcurrency?: number;
  /** Kept for this function alone, and at least `maxConcurrency`. @default none */
  readonly reservedConcurrency?: number;
  /** Messages of one invocation, 1 to 10. @default 10 */
  readonly batchSize?: number;
  /** What its handler keeps free before its deadline unless it says otherwise: longer than middy's `timeoutEarlyInMillis`. @default 2 seconds */
  readonly margin?: Duration;
}

/** A table, imported ones too; as CDK's own class says it, since its interface doesn't fit under exact optional properties. */
export type ConsumerTable = Pick<dynamodb.Table, 'tableArn' | 'tableName' | 'encryptionKey'>;

/** A consumer of events. */
export interface ConsumerProps extends WorkerProps {
  /** Tables that it may read and write, by the names its code uses. @default none */
  readonly tables?: Readonly<Record<string, ConsumerTable>>;
  /** Whether it may read job rows, to fill gaps. @default false */
  readonly fillsGaps?: boolean;
}

/** What all functions and stores of a stack share. */
export interface SharedProps {
  /** Encrypts tables, queues, bucket and topic. @default keys that AWS owns */
  readonly encryptionKey?: kms.IKey;
  /** Traces functions with X-Ray. @default false */
  readonly tracing?: boolean;
  /** `throw-away` deletes tables and bucket with the stack. @default 'keep' */
  readonly data?: 'keep' | 'throw-away';
  /** How functions are bundled, beside ESM, ARM64, minified, with source maps. @default as `NodejsFunction` does */
  readonly bundling?: nodejs.BundlingOptions;
}

/** What watches a stack, and who is told. */
export interface WatchedProps {
  /** Told by every alarm. @default alarms without an action */
  readonly alarms?: sns.ITopic;
  /** Whether there are alarms, and metric filters that count what functions print. @default true; an emulator may know no filters */
  readonly watched?: boolean;
}

/** A job, and the function that runs it. */
export interface JobProps extends WorkerProps {
  readonly job: Job;
}

/** How often what was lost is looked for, and at what price. */
export interface ReconcileProps {
  /** 15 minutes to 12 hours; it also runs when the relay is late or doctor finds something. @default 1 hour */
  readonly every?: Duration;
  /**
   * Adds an index of the jobs table by event, so that a run reads only what is new instead of the whole table; it costs three more
   * writes per job (docs/reconcile.md says from which size on it pays). @default false
   */
  readonly timeIndex?: boolean;
}

/** All that some jobs need. */
export interface LanekeeperProps extends SharedProps, WatchedProps {
  /** Each with its own queue and worker; a job's limits are checked against the queue's numbers. */
  readonly jobs: readonly JobProps[];
  /** By names of letters, digits and dashes. @default none */
  readonly consumers?: Readonly<Record<string, ConsumerProps>>;
  /** Gets every event beside the consumers' FIFO topic, without order. @default none */
  readonly bus?: events.IEventBus;
  /**
   * Whether there is a dashboard, if the stack is watched.
   * @default true, unless data is thrown away: such stacks are many, and CloudWatch bills 3 dollars a month for each
   * dashboard after an account's first three (CloudWatch pricing)
   */
  readonly dashboard?: boolean;
  /** How what was lost is found again. @default every hour, by reading the jobs table */
  readonly reconcile?: ReconcileProps;
  /** Your own relay, sweeper, reconcile or doctor. @default the package's, for which you write no file */
  readonly own?: Readonly<
    Partial<Record<'relay' | 'sweeper' | 'reconcile' | 'doctor', FunctionProps>>
  >;
}

/** One function behind a FIFO queue of its own. */
export interface OrderedWorkerProps extends WorkerProps, SharedProps, WatchedProps {
  /** @default 1,000 where the worker remembers, and so counts failures itself; else 10 */
  readonly maxReceiveCount?: number;
  /** Adds a table in which failures are counted, what was handled is remembered and groups lie parked, and a bucket for parked messages above 300 KB. @default false */
  readonly remembers?: boolean;
}
