/** How large a part of an upload is, in bytes; S3 takes 10,000 parts, so an object can have 80 GB. */
export const partSize: number = 8 * 1024 * 1024;

/** Some bytes of an object, good until the next part is asked for. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** How much memory a first part begins with, in bytes: most results are small. */
const smallest = 64 * 1024;

/**
 * Cuts a source into parts of one size, the last one as it comes, perhaps empty. Pieces are copied as they come, since a
 * list of short ones is many times as large as their bytes, and always into the same memory, since what is let go is
 * freed late. A request that still sends from it, though it was given up and repeated, fails its checksum.
 */
export async function* partsOf(from: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  const filling = new Filling();
  for await (const piece of from) {
    let rest = piece;
    while (rest.byteLength > 0) {
      if (filling.isFull) {
        yield { bytes: filling.bytes, isLast: false };
        filling.clear();
      }
      rest = filling.fill(rest);
    }
  }
  yield { bytes: filling.bytes, isLast: true };
}

/** One part while it fills. */
class Filling {
  #memory = new Uint8Array(smallest);
  #size = 0;

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#size);
  }

  get isFull(): boolean {
    return this.#size === partSize;
  }

  /** Takes what it has room for, and answers the rest. */
  fill(piece: Uint8Array): Uint8Array {
    const taken = piece.subarray(0, partSize - this.#size);
    this.#grow(this.#size + taken.byteLength);
    this.#memory.set(taken, this.#size);
    this.#size += taken.byteLength;
    return piece.subarray(taken.byteLength);
  }

  clear(): void {
    this.#size = 0;
  }

  #grow(needed: number): void {
    if (needed <= this.#memory.byteLength) return;
    const larger = new Uint8Array(
      Math.min(partSize, Math.max(needed, 2 * this.#memory.byteLength)),
    );
    larger.set(this.bytes);
    this.#memory = larger;
  }
}
