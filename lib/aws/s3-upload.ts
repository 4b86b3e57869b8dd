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
import type { Described, SentBytes } from '../ports/bucket.ts';
import { bound } from './bound.ts';
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

/** Where an object goes, and on whose behalf; only the abort of an own upload is sent when that epoch is over. */
export interface Place {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
  readonly epoch: Epoch | undefined;
}

/** Sends a large object part by part; one that fails on the way leaves no parts behind. */
export async function uploaded(
  { client, Bucket, Key, epoch }: Place,
  all: AsyncIterable<Part>,
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
    for await (const { bytes: Body } of all) {
      const PartNumber = parts.length + 1;
      const ChecksumSHA256 = digest(Body);
      const part = new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumSHA256 });
      const { ETag } = await client.send(bound(part, epoch));
      parts.push({ PartNumber, ChecksumSHA256, ...(ETag === undefined ? {} : { ETag }) });
      size += Body.byteLength;
    }
    const sent = { size, checksum: composite(parts) };
    return await completed({ client, epoch }, upload, { parts, sent });
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
  { client, epoch }: Pick<Place, 'client' | 'epoch'>,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
  { parts, sent }: Whole,
): Promise<Sent> {
  try {
    const complete = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: parts },
      IfNoneMatch: '*',
    });
    const { ETag = '' } = await client.send(bound(complete, epoch));
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
