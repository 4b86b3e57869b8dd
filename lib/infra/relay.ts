import {
  Duration,
  type aws_dynamodb as dynamodb,
  type aws_kms as kms,
  aws_lambda as lambda,
  RemovalPolicy,
  aws_s3 as s3,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { newsPattern } from '../kernel/settings.ts';
import { acknowledged, acknowledgedObjects } from './acknowledged.ts';
import { allow, grantTable } from './grants.ts';
import { nodeFunction } from './node-function.ts';
import { ownEntry } from './own-entry.ts';
import type { FunctionProps, SharedProps } from './props.ts';

/** What a relay reads and writes. */
export interface RelayProps extends SharedProps {
  readonly own: FunctionProps | undefined;
  readonly jobs: dynamodb.Table;
  readonly ledger: dynamodb.Table;
  readonly environment: Readonly<Record<string, string>>;
}

/** The stream keeps records for 24 hours, so one that is older is lost either way; here it is kept in a bucket. */
const oldest = Duration.hours(23);

/** The function that publishes what the table's stream shows, and its mapping. */
export class Relay extends Construct {
  readonly function: lambda.Function;
  /** What was too old to be published, as Lambda gave it up. */
  readonly givenUp: s3.Bucket;
  readonly mapping: lambda.EventSourceMapping;

  constructor(scope: Construct, id: string, props: RelayProps) {
    super(scope, id);
    const { own = { entry: ownEntry('relay') }, jobs, ledger, environment } = props;
    this.function = nodeFunction(this, 'Function', {
      ...props,
      ...own,
      environment: { ...own.environment, ...environment },
    });
    this.givenUp = givenUp(this, props);
    jobs.encryptionKey?.grantDecrypt(this.function);
    this.givenUp.encryptionKey?.grantEncryptDecrypt(this.function);
    acknowledged(this.givenUp, 'AwsSolutions-S1');
    this.mapping = this.#map(jobs.tableStreamArn ?? '');
    grantTable(this.function, ledger, ['put', 'update']);
  }

  /** Lets it publish there. */
  publishesTo(actions: readonly string[], arns: readonly string[], key?: kms.IKey): void {
    if (arns.length > 0) allow(this.function, actions, arns);
    key?.grantEncryptDecrypt(this.function);
  }

  /** Retried until it is too old: nothing is skipped, and a batch that fails comes back by halves. */
  #map(eventSourceArn: string): lambda.EventSourceMapping {
    const mapping = new lambda.EventSourceMapping(this, 'Mapping', {
      target: this.function,
      eventSourceArn,
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: oldest,
      parallelizationFactor: 1,
      onFailure: { bind: () => ({ destination: this.givenUp.bucketArn }) },
      filters: [lambda.FilterCriteria.filter(newsPattern)],
    });
    const read = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
    allow(
      this.function,
      read.map((one) => `dynamodb:${one}`),
      [eventSourceArn],
    );
    allow(this.function, ['s3:PutObject'], [this.givenUp.arnForObjects('*')]);
    acknowledgedObjects(this.function.role ?? this.function, this.givenUp, '*');
    allow(this.function, ['s3:ListBucket'], [this.givenUp.bucketArn]);
    return mapping;
  }
}

function givenUp(scope: Construct, { data, encryptionKey }: SharedProps): s3.Bucket {
  const isKept = data !== 'throw-away';
  return new s3.Bucket(scope, 'GivenUp', {
    blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    autoDeleteObjects: !isKept,
    ...(encryptionKey === undefined
      ? { encryption: s3.BucketEncryption.S3_MANAGED }
      : { encryption: s3.BucketEncryption.KMS, encryptionKey }),
  });
}
