import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Epoch } from '../kernel/epoch.ts';
import type { Described } from '../ports/bucket.ts';
import { bound } from './bound.ts';
import { isTaken, nameOf } from './trouble.ts';

/** How much of an upload is in memory at a time, in bytes; S3 takes 10,000 parts, so an object can have 80 GB. */
export const partSize: number = 8 * 1024 * 1024;

/** What was sent, as it was counted on the way. */
export type Sent =
  | {
      readonly kind: 'sent';
      readonly size: number;
      readonly checksum: string;
      readonly etag: string;
    }
  | { readonly kind: 'taken'; readonly size: number; readonly checksum: string };

/** SHA-256 as S3 writes it. */
export const digest = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64');

/** Where an object goes, and on whose behalf; only the abort of an own upload is sent when that epoch is over. */
export interface Place {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
  readonly epoch: Epoch | undefined;
}

interface Source {
  readonly first: Uint8Array;
  readonly source: AsyncIterator<Uint8Array>;
}

/** Sends a large object part by part; one that fails on the way leaves no parts behind. */
export async function uploaded(
  { client, Bucket, Key, epoch }: Place,
  from: Source,
  as: Described,
): Promise<Sent> {
  const create = new CreateMultipartUploadCommand({
    Bucket,
    Key,
    ContentType: as.contentType,
    Metadata: { attempt: as.attempt },
    ChecksumAlgorithm: 'SHA256',
  });
  const { UploadId } = await client.send(bound(create, epoch));
  const upload = { Bucket, Key, UploadId };
  try {
    const parts: CompletedPart[] = [];
    let size = 0;
    for await (const Body of partsOf(from)) {
      const PartNumber = parts.length + 1;
      const ChecksumSHA256 = digest(Body);
      const part = new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumSHA256 });
      const { ETag } = await client.send(bound(part, epoch));
      parts.push({ PartNumber, ChecksumSHA256, ...(ETag === undefined ? {} : { ETag }) });
      size += Body.byteLength;
    }
    const checksum = composite(parts);
    return await completed({ client, epoch }, upload, { parts, size, checksum });
  } catch (thrown) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw thrown;
  }
}

interface Whole {
  readonly parts: CompletedPart[];
  readonly size: number;
  readonly checksum: string;
}

async function completed(
  { client, epoch }: Pick<Place, 'client' | 'epoch'>,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
  { parts, size, checksum }: Whole,
): Promise<Sent> {
  try {
    const complete = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: parts },
      IfNoneMatch: '*',
    });
    const { ETag = '' } = await client.send(bound(complete, epoch));
    return { kind: 'sent', size, checksum, etag: ETag };
  } catch (thrown) {
    // Completed before, and the reply got lost: whose object it is, a look tells.
    if (nameOf(thrown) === 'NoSuchUpload') return { kind: 'taken', size, checksum };
    if (!isTaken(thrown)) throw thrown;
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    return { kind: 'taken', size, checksum };
  }
}

/** The checksum of an object in parts: that of its parts' checksums, and how many there are. */
function composite(parts: readonly CompletedPart[]): string {
  const digests = parts.map(({ ChecksumSHA256 = '' }) => Buffer.from(ChecksumSHA256, 'base64'));
  return `${digest(Buffer.concat(digests))}-${parts.length}`;
}

/** Parts of one size, the last one as it comes; never more than two in memory. */
async function* partsOf({ first, source }: Source): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [first];
  let size = first.byteLength;
  for (;;) {
    while (size >= partSize) {
      const whole = Buffer.concat(chunks);
      yield whole.subarray(0, partSize);
      chunks = [whole.subarray(partSize)];
      size = whole.byteLength - partSize;
    }
    const { done, value } = await source.next();
    if (done) break;
    chunks.push(value);
    size += value.byteLength;
  }
  if (size > 0) yield Buffer.concat(chunks);
}
