/** What a candidate is written from: whole, or piece by piece in bounded memory. */
export type Bytes = string | Uint8Array;

/** The pieces of a candidate as bytes, and how many went through so far. */
export interface Counted {
  readonly bytes: AsyncIterable<Uint8Array>;
  size(): number;
}

/** Turns text into UTF-8 and counts; `check` may throw between two pieces, which ends the stream and closes its source. */
export function counted(from: Bytes | AsyncIterable<Bytes>, check: () => void): Counted {
  const encoder = new TextEncoder();
  let size = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces(from)) {
      check();
      const chunk = typeof piece === 'string' ? encoder.encode(piece) : piece;
      size += chunk.byteLength;
      if (chunk.byteLength > 0) yield chunk;
    }
  }
  return { bytes: bytes(), size: () => size };
}

async function* pieces(from: Bytes | AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  if (typeof from === 'string' || from instanceof Uint8Array) yield from;
  else yield* from;
}
