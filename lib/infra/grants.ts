import {
  type aws_dynamodb as dynamodb,
  aws_iam as iam,
  type aws_lambda as lambda,
  type aws_s3 as s3,
  type aws_sqs as sqs,
} from 'aws-cdk-lib';
import { acknowledgedObjects } from './acknowledged.ts';

/** What a function does with a table. */
export type TableUse = 'read' | 'put' | 'update' | 'delete' | 'check' | 'query' | 'scan';

/** A transaction asks for the actions of its items (DynamoDB developer guide, "Using IAM with DynamoDB transactions"). */
const tableActions: Readonly<Record<TableUse, string>> = {
  read: 'dynamodb:GetItem',
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  delete: 'dynamodb:DeleteItem',
  check: 'dynamodb:ConditionCheckItem',
  query: 'dynamodb:Query',
  scan: 'dynamodb:Scan',
};

/** All that guarded writes and reads of rows ask for. */
export const everyUse = ['read', 'put', 'update', 'delete', 'check'] as const;

const reads: ReadonlySet<TableUse> = new Set(['read', 'query', 'scan']);

/** A table, and the key that encrypts it. */
export type Granted = Pick<dynamodb.Table, 'tableArn' | 'encryptionKey'>;

/** Lets a function use a table so, and its key. */
export function grantTable(to: lambda.Function, table: Granted, uses: readonly TableUse[]): void {
  const { tableArn, encryptionKey } = table;
  allow(
    to,
    uses.map((use) => tableActions[use]),
    [tableArn],
  );
  if (uses.some((use) => !reads.has(use))) encryptionKey?.grantEncryptDecrypt(to);
  else encryptionKey?.grantDecrypt(to);
}

/** Lets a function query one index of a table. */
export const grantIndex = (to: lambda.Function, { tableArn }: Granted, index: string): void =>
  allow(to, [tableActions.query], [`${tableArn}/index/${index}`]);

/** What lies where in a bucket. */
export type Prefix = 'inputs/*' | 'results/*' | 'parked/*';

/** What a function does with the bucket, below a prefix. */
export type BucketUse = 'write' | 'read' | 'delete';

const bucketActions: Readonly<Record<BucketUse, readonly string[]>> = {
  write: ['s3:PutObject', 's3:AbortMultipartUpload'],
  read: ['s3:GetObject'],
  delete: ['s3:DeleteObject'],
};

/**
 * Lets a function use the objects below a prefix so. Without the right to list, S3 says of a missing one that access is
 * denied; a look at one object names no prefix, so that right can't be bound to one.
 */
export function grantObjects(
  to: lambda.Function,
  { bucket, prefix }: { readonly bucket: s3.Bucket; readonly prefix: Prefix },
  uses: readonly BucketUse[],
): void {
  allow(
    to,
    uses.flatMap((use) => bucketActions[use]),
    [bucket.arnForObjects(prefix)],
  );
  allow(to, ['s3:ListBucket'], [bucket.bucketArn]);
  acknowledgedObjects(to.role ?? to, bucket, prefix);
  if (uses.includes('write')) bucket.encryptionKey?.grantEncryptDecrypt(to);
  else bucket.encryptionKey?.grantDecrypt(to);
}

/** Lets a function park and release its groups: counts, large bodies, and the release that goes on where its time is over. */
export function grantCare(
  to: lambda.Function,
  on: { readonly care: Granted; readonly bucket: s3.Bucket; readonly queue: sqs.Queue },
): void {
  grantTable(to, on.care, [...everyUse, 'query']);
  grantObjects(to, { bucket: on.bucket, prefix: 'parked/*' }, ['write', 'read', 'delete']);
  allow(to, ['sqs:SendMessage'], [on.queue.queueArn]);
}

/** Lets a function do this to these. */
export const allow = (
  to: lambda.Function,
  actions: readonly string[],
  resources: readonly string[],
): void =>
  to.addToRolePolicy(new iam.PolicyStatement({ actions: [...actions], resources: [...resources] }));
