import { malformed, type Reading } from './reading.ts';

/**
 * Bytes as text, without a byte order mark; a character cut by a border of chunks is whole.
 *
 * @throws Failure `dataset-malformed` for what isn't UTF-8
 */
export async function* decodedText(
  bytes: AsyncIterable<Uint8Array>,
  reading: Reading,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of bytes)
    yield decoded(() => decoder.decode(chunk, { stream: true }), reading);
  yield decoded(() => decoder.decode(), reading);
}

function decoded(decode: () => string, reading: Reading): string {
  try {
    return decode();
  } catch (cause) {
    throw malformed(reading, 'it holds bytes that are not UTF-8', cause);
  }
}
