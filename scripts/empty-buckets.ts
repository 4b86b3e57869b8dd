import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import {
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';

/** What clients of an emulator are made with. */
const clientAt = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/**
 * Deletes all objects of a stack's buckets at an emulator: on AWS a custom resource does, which the emulator lacks, and
 * a bucket that holds something outlives its stack.
 *
 * @throws the SDK's errors, also for a stack that isn't there
 */
export async function emptyBuckets(endpoint: string, stack: string): Promise<void> {
  const client = new CloudFormationClient(clientAt(endpoint));
  for await (const page of paginateListStackResources({ client }, { StackName: stack }))
    for (const { ResourceType, PhysicalResourceId: bucket } of page.StackResourceSummaries ?? [])
      if (ResourceType === 'AWS::S3::Bucket' && bucket) await emptyBucket(endpoint, bucket);
}

/** Deletes all versions of all objects of a bucket at an emulator, and what marks them as deleted. */
async function emptyBucket(endpoint: string, bucket: string): Promise<void> {
  const client = new S3Client({ ...clientAt(endpoint), forcePathStyle: true });
  let page: ListObjectVersionsCommandOutput | undefined;
  do {
    page = await client.send(
      new ListObjectVersionsCommand({
        Bucket: bucket,
        KeyMarker: page?.NextKeyMarker,
        VersionIdMarker: page?.NextVersionIdMarker,
      }),
    );
    const all = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
    const Objects = all.map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length > 0)
      await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
      );
  } while (page.IsTruncated);
}
