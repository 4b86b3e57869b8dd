import type { Duration } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';

/** An object as a caller sees it; `checksum` is the bucket's own. */
export interface Stored {
  readonly key: string;
  readonly size: number;
  readonly checksum: string;
  readonly contentType: string;
}

/** An object as the bucket knows it, with the attempt that wrote it. */
export interface StoredObject extends Stored {
  readonly etag: string;
  readonly attempt: string;
}

/** What went out, counted on the way; `checksum` is in the bucket's own form, so that it equals that of the object it became. */
export interface SentBytes {
  readonly size: number;
  readonly checksum: string;
}

/**
 * Taken: something else is there. Unknown: no reply came, so the object may be there or not; it's one's own only if it
 * is what was `sent`, which is left out where not all was.
 */
export type Created =
  | { readonly kind: 'created' | 'taken'; readonly stored: StoredObject }
  | { readonly kind: 'unknown'; readonly sent?: SentBytes };

/** How an object is described while it is created. */
export interface Described {
  readonly contentType: string;
  readonly attempt: string;
}

/** Where results live; nothing in it is ever overwritten. */
export interface Bucket {
  /** Its name, as a row records it. */
  readonly name: string;
  /**
   * Creates, in bounded memory, or answers `taken` with what is there; overwrites nothing. Finding the very bytes that
   * this call sent under this `attempt` is `created`. What `from` throws is thrown on, and then nothing was created.
   * Between the parts of a large object too, nothing more is sent once `epoch` is over; only its own parts are taken back.
   *
   * @throws Failure `epoch-over`
   */
  create(
    key: string,
    from: AsyncIterable<Uint8Array>,
    as: Described & { readonly epoch?: Epoch },
  ): Promise<Created>;
  /** What is there now. */
  head(key: string): Promise<StoredObject | undefined>;
  /** Its bytes. @throws Failure `object-missing` where nothing is there */
  open(key: string): AsyncIterable<Uint8Array>;
  /** An address from which anyone can download it for so long. */
  url(key: string, expiresIn: Duration): Promise<string>;
  /** All keys that start so, in order. */
  list(prefix: string): AsyncIterable<string>;
  /** Afterwards nothing is there. @throws Failure `epoch-over` instead, once `epoch` is over */
  delete(key: string, epoch?: Epoch): Promise<void>;
}
