import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Duration } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { permanent } from '../kernel/failure.ts';
import type { Bucket, Created, Described, StoredObject } from '../ports/bucket.ts';
import { bound } from './bound.ts';
import { type Part, partsOf } from './parts.ts';
import { digest, type Place, type Sent, uploaded } from './s3-upload.ts';
import { nameOf, troubleOf, unconfirmed } from './trouble.ts';

/** How often a conditional write that met a concurrent delete is sent again. */
const tries = 3;

/** A {@link Bucket} on S3: every object is created only if absent, with S3's own SHA-256 beside it. */
export class S3Bucket implements Bucket {
  readonly name: string;
  readonly #client: S3Client;

  constructor(client: S3Client, name: string) {
    this.#client = client;
    this.name = name;
  }

  async create(
    key: string,
    from: AsyncIterable<Uint8Array>,
    { epoch, ...as }: Described & { readonly epoch?: Epoch },
  ): Promise<Created> {
    const parts = partsOf(from);
    try {
      const first: Part = (await parts.next()).value;
      const place = { client: this.#client, Bucket: this.name, Key: key, epoch };
      return await this.#settled(key, as, () =>
        first.isLast
          ? this.#put(place, first.bytes, as)
          : uploaded(place, beginningWith(first, parts), as),
      );
    } finally {
      // A source that was not read to its end may hold a file open.
      await parts.return(undefined);
    }
  }

  async head(key: string): Promise<StoredObject | undefined> {
    try {
      const found = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.name, Key: key, ChecksumMode: 'ENABLED' }),
      );
      return {
        key,
        size: found.ContentLength ?? 0,
        checksum: found.ChecksumSHA256 ?? '',
        contentType: found.ContentType ?? '',
        etag: found.ETag ?? '',
        attempt: found.Metadata?.['attempt'] ?? '',
      };
    } catch (thrown) {
      if (nameOf(thrown) === 'NotFound' || nameOf(thrown) === 'NoSuchKey') return undefined;
      throw thrown;
    }
  }

  async *open(key: string): AsyncIterable<Uint8Array> {
    const { Body } = await this.#client
      .send(new GetObjectCommand({ Bucket: this.name, Key: key }))
      .catch((thrown: unknown) => {
        if (nameOf(thrown) !== 'NoSuchKey') throw thrown;
        throw permanent('object-missing', `there is no object ${key}`);
      });
    if (Body !== undefined) yield* Body as unknown as AsyncIterable<Uint8Array>;
  }

  url(key: string, expiresIn: Duration): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.name, Key: key });
    return getSignedUrl(this.#client, command, {
      expiresIn: Math.max(1, Math.floor(expiresIn / 1_000)),
    });
  }

  async *list(prefix: string): AsyncIterable<string> {
    const pages = paginateListObjectsV2(
      { client: this.#client },
      { Bucket: this.name, Prefix: prefix },
    );
    for await (const { Contents = [] } of pages)
      for (const { Key } of Contents) if (Key !== undefined) yield Key;
  }

  async delete(key: string, epoch?: Epoch): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.name, Key: key });
    await this.#client.send(bound(command, epoch));
  }

  /** Whole and small enough to be sent again: a conflict with a concurrent delete is tried anew. */
  async #put({ Key, epoch }: Place, bytes: Uint8Array, as: Described): Promise<Sent> {
    const sent = { size: bytes.byteLength, checksum: digest(bytes) };
    const request = {
      Bucket: this.name,
      Key,
      Body: bytes,
      ContentType: as.contentType,
      Metadata: { attempt: as.attempt },
      ChecksumSHA256: sent.checksum,
      IfNoneMatch: '*',
    };
    for (let done = 1; ; done++) {
      try {
        const { ETag = '' } = await this.#client.send(bound(new PutObjectCommand(request), epoch));
        return { kind: 'stored', sent, etag: ETag };
      } catch (thrown) {
        const kind = unconfirmed(thrown);
        if (kind !== undefined) return { kind, sent };
        if (nameOf(thrown) !== 'ConditionalRequestConflict' || done === tries) throw thrown;
      }
    }
  }

  /** A refusal may be one's own object whose reply got lost: attempt, size and S3's checksum tell. */
  async #settled(key: string, as: Described, send: () => Promise<Sent>): Promise<Created> {
    const end = await send().catch((thrown: unknown) => {
      if (troubleOf(thrown) === 'unknown') return { kind: 'unknown' as const };
      throw thrown;
    });
    if (end.kind === 'unknown') return end;
    const { sent } = end;
    if (end.kind === 'stored')
      return { kind: 'created', stored: { key, ...sent, etag: end.etag, ...as } };
    const stored = await this.head(key);
    if (stored === undefined) return { kind: 'unknown', sent };
    const isOwn =
      stored.attempt === as.attempt &&
      stored.size === sent.size &&
      stored.checksum === sent.checksum;
    return { kind: isOwn ? 'created' : 'taken', stored };
  }
}

/** What was looked at first, and then all others. */
async function* beginningWith(first: Part, others: AsyncIterable<Part>): AsyncGenerator<Part> {
  yield first;
  yield* others;
}
