import { type Failure, permanent } from '../kernel/failure.ts';

/** What a candidate is written from: whole, or piece by piece in bounded memory. */
export type Bytes = string | Uint8Array;

/** The pieces of a candidate as bytes, text as UTF-8; `check` may throw between two, which ends the stream and closes its source. */
export async function* encoded(
  from: Bytes | AsyncIterable<Bytes>,
  check: () => void,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces(from)) {
    check();
    const chunk = typeof piece === 'string' ? encoder.encode(piece) : bytesOnly(piece);
    if (chunk.byteLength > 0) yield chunk;
  }
}

async function* pieces(from: Bytes | AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  if (typeof from === 'string' || from instanceof Uint8Array) yield from;
  else if (isIterable(from)) yield* from;
  else throw unwritable(from);
}

const isIterable = (from: unknown): boolean =>
  typeof from === 'object' &&
  from !== null &&
  (Symbol.asyncIterator in from || Symbol.iterator in from);

/** A stream of objects type-checks, since Node's own streams say nothing of their pieces; none of them may be left out in silence. */
function bytesOnly(piece: Uint8Array): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  throw unwritable(piece);
}

const unwritable = (value: unknown): Failure =>
  permanent(
    'candidate-not-bytes',
    `an object is written from texts and Uint8Arrays, or an iterable of them, got ${value === null ? 'null' : typeof value}`,
  );
