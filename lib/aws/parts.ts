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
  let memory = new Uint8Array(smallest);
  let size = 0;
  for await (const piece of from) {
    for (let at = 0; at < piece.byteLength; ) {
      if (size === partSize) {
        yield { bytes: memory, isLast: false };
        size = 0;
      }
      const taken = piece.subarray(at, at + partSize - size);
      memory = grown(memory, size + taken.byteLength);
      memory.set(taken, size);
      at += taken.byteLength;
      size += taken.byteLength;
    }
  }
  yield { bytes: memory.subarray(0, size), isLast: true };
}

/** Room for so many bytes, at most for a part, with what is there. */
function grown(memory: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  if (needed <= memory.byteLength) return memory;
  const larger = new Uint8Array(Math.min(partSize, Math.max(needed, 2 * memory.byteLength)));
  larger.set(memory);
  return larger;
}
