import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { SentBytes } from '../ports/bucket.ts';
import type { Part } from './parts.ts';
import { nameOf, unconfirmed } from './trouble.ts';

/** What became of all bytes, which were counted on the way. */
export type Sent =
  | { readonly kind: 'stored'; readonly sent: SentBytes; readonly etag: string }
  | { readonly kind: 'taken'; readonly sent: SentBytes }
  | { readonly kind: 'unknown'; readonly sent: SentBytes };

/** SHA-256 as S3 writes it. */
export const digest = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64');

interface Place {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

/** Sends a large object part by part; one that fails on the way leaves no parts behind. */
export async function uploaded(
  { client, Bucket, Key }: Place,
  all: AsyncIterable<Part>,
  as: { readonly contentType: string; readonly attempt: string },
): Promise<Sent> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({
      Bucket,
      Key,
      ContentType: as.contentType,
      Metadata: { attempt: as.attempt },
      ChecksumAlgorithm: 'SHA256',
    }),
  );
  const upload = { Bucket, Key, UploadId };
  try {
    const parts: CompletedPart[] = [];
    let size = 0;
    for await (const { bytes: Body } of all) {
      const PartNumber = parts.length + 1;
      const ChecksumSHA256 = digest(Body);
      const { ETag } = await client.send(
        new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumSHA256 }),
      );
      parts.push({ PartNumber, ChecksumSHA256, ...(ETag === undefined ? {} : { ETag }) });
      size += Body.byteLength;
    }
    return await completed(client, upload, { parts, sent: { size, checksum: composite(parts) } });
  } catch (thrown) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw thrown;
  }
}

interface Whole {
  readonly parts: CompletedPart[];
  readonly sent: SentBytes;
}

async function completed(
  client: S3Client,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
  { parts, sent }: Whole,
): Promise<Sent> {
  try {
    const { ETag = '' } = await client.send(
      new CompleteMultipartUploadCommand({
        ...upload,
        MultipartUpload: { Parts: parts },
        IfNoneMatch: '*',
      }),
    );
    return { kind: 'stored', sent, etag: ETag };
  } catch (thrown) {
    // Completed before, and the reply got lost: whose object it is, a look tells.
    if (nameOf(thrown) === 'NoSuchUpload') return { kind: 'taken', sent };
    const kind = unconfirmed(thrown);
    if (kind === undefined) throw thrown;
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    return { kind, sent };
  }
}

/** The checksum of an object in parts: that of its parts' checksums, and how many there are. */
function composite(parts: readonly CompletedPart[]): string {
  const digests = parts.map(({ ChecksumSHA256 = '' }) => Buffer.from(ChecksumSHA256, 'base64'));
  return `${digest(Buffer.concat(digests))}-${parts.length}`;
}
