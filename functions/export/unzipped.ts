import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { malformed, type Reading } from './reading.ts';

/**
 * What gzip packed, in pieces of bounded size however well it was packed.
 *
 * @throws Failure `dataset-malformed` for what isn't gzip or is cut; what `bytes` throws is thrown on
 */
export async function* unzipped(
  bytes: AsyncIterable<Uint8Array>,
  reading: Reading,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(Readable.from(bytes), createGunzip(), () => {});
  } catch (thrown) {
    throw isZlibs(thrown) ? malformed(reading, 'its gzip is broken or cut', thrown) : thrown;
  }
}

const isZlibs = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_');
