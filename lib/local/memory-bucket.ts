import { createHash } from 'node:crypto';
import type { Duration, Instant } from '../kernel/brand.ts';
import { checkOpen, type Epoch } from '../kernel/epoch.ts';
import { permanent, transient } from '../kernel/failure.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { later } from '../kernel/time.ts';
import type { Bucket, Created, Described, StoredObject } from '../ports/bucket.ts';
import type { Clock } from '../ports/clock.ts';

/** The size from which S3 wants an object in parts. */
const partSize = 5 * 1024 * 1024;

interface Kept {
  readonly stored: StoredObject;
  readonly chunks: readonly Uint8Array[];
}

/**
 * A {@link Bucket} in memory with S3's semantics: of several creators the first to finish wins, an upload in progress
 * doesn't count as an object, and large objects go up in parts, which stay behind when their upload is given up.
 */
export class MemoryBucket implements Bucket {
  readonly name: string;
  readonly #clock: Clock;
  readonly #objects = new Map<string, Kept>();
  readonly #uploads = new Map<number, string>();
  #begun = 0;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  async create(
    key: string,
    from: AsyncIterable<Uint8Array>,
    { epoch, ...as }: Described & { readonly epoch?: Epoch },
  ): Promise<Created> {
    const chunks: Uint8Array[] = [];
    const hash = createHash('sha256');
    let size = 0;
    let upload: number | undefined;
    for await (const chunk of from) {
      const copy = new Uint8Array(chunk);
      chunks.push(copy);
      hash.update(copy);
      size += chunk.byteLength;
      if (size <= partSize) continue;
      checkOpen(epoch);
      upload ??= this.#begin(key);
    }
    checkOpen(epoch);
    if (upload !== undefined && !this.#uploads.delete(upload))
      throw transient('upload-aborted', `the upload of ${key} was ended before it was whole`);
    const checksum = hash.digest('base64');
    const stored = { key, size, checksum, etag: `"${checksum.slice(0, 22)}"`, ...as };
    const there = this.#objects.get(key)?.stored;
    if (there !== undefined)
      return { kind: isSame(there, stored) ? 'created' : 'taken', stored: there };
    this.#objects.set(key, { stored, chunks });
    return { kind: 'created', stored };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    return this.#objects.get(key)?.stored;
  }

  async *open(key: string): AsyncIterable<Uint8Array> {
    const kept = this.#objects.get(key);
    if (kept === undefined) throw permanent('object-missing', `there is no object ${key}`);
    for (const chunk of kept.chunks) yield new Uint8Array(chunk);
  }

  async url(key: string, expiresIn: Duration): Promise<string> {
    const until: Instant = later(this.#clock.now(), expiresIn);
    const path = key.split('/').map(encodeURIComponent).join('/');
    return `memory://${this.name}/${path}?expires=${isoTime(until)}`;
  }

  async *list(prefix: string): AsyncIterable<string> {
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
    keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const key of keys) yield key;
  }

  async delete(key: string, epoch?: Epoch): Promise<void> {
    checkOpen(epoch);
    this.#objects.delete(key);
  }

  /** The keys of uploads in parts that are under way or were left behind by a source that failed. */
  uploads(): readonly string[] {
    return [...this.#uploads.values()];
  }

  /** Ends the uploads of keys that start so, as S3's lifecycle rule does; one under way then can't finish. */
  abortUploads(prefix: string): void {
    for (const [upload, key] of this.#uploads)
      if (key.startsWith(prefix)) this.#uploads.delete(upload);
  }

  #begin(key: string): number {
    this.#begun += 1;
    this.#uploads.set(this.#begun, key);
    return this.#begun;
  }
}

const isSame = (a: StoredObject, b: StoredObject): boolean =>
  a.attempt === b.attempt && a.size === b.size && a.checksum === b.checksum;
