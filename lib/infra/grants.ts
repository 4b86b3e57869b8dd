import {
  type aws_dynamodb as dynamodb,
  aws_iam as iam,
  type aws_lambda as lambda,
  type aws_s3 as s3,
} from 'aws-cdk-lib';

/** What a function does with a table; each is one action or a few, on that table alone. */
export type TableUse = 'read' | 'write' | 'update' | 'query';

const tableActions: Readonly<Record<TableUse, readonly string[]>> = {
  read: ['dynamodb:GetItem'],
  // A transaction asks for the actions of its items (DynamoDB developer guide, "Using IAM with DynamoDB transactions").
  write: [
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  update: ['dynamodb:UpdateItem'],
  query: ['dynamodb:Query'],
};

/** Lets a function use a table so, and its key. */
export function grantTable(
  to: lambda.Function,
  table: Pick<dynamodb.Table, 'tableArn' | 'encryptionKey'>,
  uses: readonly TableUse[],
): void {
  const resources = uses.includes('query') ? [`${table.tableArn}/index/*`] : [];
  allow(
    to,
    uses.flatMap((use) => tableActions[use]),
    [table.tableArn, ...resources],
  );
  if (uses.includes('write') || uses.includes('update'))
    table.encryptionKey?.grantEncryptDecrypt(to);
  else table.encryptionKey?.grantDecrypt(to);
}

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
  { bucket, prefix }: { readonly bucket: s3.Bucket; readonly prefix: 'inputs/*' | 'results/*' },
  uses: readonly BucketUse[],
): void {
  allow(
    to,
    uses.flatMap((use) => bucketActions[use]),
    [bucket.arnForObjects(prefix)],
  );
  allow(to, ['s3:ListBucket'], [bucket.bucketArn]);
  if (uses.includes('write')) bucket.encryptionKey?.grantEncryptDecrypt(to);
  else bucket.encryptionKey?.grantDecrypt(to);
}

/** Lets a function do this to these. */
export const allow = (
  to: lambda.Function,
  actions: readonly string[],
  resources: readonly string[],
): void =>
  to.addToRolePolicy(new iam.PolicyStatement({ actions: [...actions], resources: [...resources] }));
