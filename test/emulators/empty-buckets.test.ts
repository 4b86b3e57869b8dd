import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import {
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { emptyBuckets } from '../../scripts/empty-buckets.ts';
import { hasEndpoint } from '../aws/stand.ts';

describe.skipIf(!hasEndpoint())("a stack's buckets at an emulator", () => {
  it('can be deleted once they were emptied, versions and marks of deletion included', async () => {
    const { AWS_ENDPOINT_URL = '' } = process.env;
    const name = `emptied-${process.pid}`;
    const s3 = new S3Client({ forcePathStyle: true });
    await new CloudFormationClient({}).send(
      new CreateStackCommand({
        StackName: name,
        TemplateBody: JSON.stringify({
          Resources: {
            Results: {
              Type: 'AWS::S3::Bucket',
              Properties: {
                BucketName: name,
                VersioningConfiguration: { Status: 'Enabled' },
              },
            },
          },
        }),
      }),
    );
    for (const Body of ['one', 'two'])
      await s3.send(new PutObjectCommand({ Bucket: name, Key: 'results/a', Body }));
    await s3.send(new PutObjectCommand({ Bucket: name, Key: 'results/b', Body: 'three' }));
    await s3.send(new DeleteObjectCommand({ Bucket: name, Key: 'results/b' }));
    const deleted = () => s3.send(new DeleteBucketCommand({ Bucket: name }));
    await expect(deleted()).rejects.toThrow();

    await emptyBuckets(AWS_ENDPOINT_URL, name);

    await expect(deleted()).resolves.toBeDefined();
  });
});
