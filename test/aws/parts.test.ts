import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partSize, partsOf } from '../../lib/aws/parts.ts';

const mebibyte = 1024 * 1024;

async function* inPieces(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [i, size] of sizes.entries()) yield new Uint8Array(size).fill(i + 1);
}

/** Sizes and last marks of all parts, and their bytes one after another. */
async function cut(sizes: readonly number[]) {
  const parts: [number, boolean][] = [];
  const bytes: Uint8Array[] = [];
  for await (const part of partsOf(inPieces(sizes))) {
    parts.push([part.bytes.byteLength, part.isLast]);
    bytes.push(part.bytes.slice());
  }
  return { parts, bytes: Buffer.concat(bytes) };
}

describe('the parts of a source', () => {
  it.each<[string, number[], [number, boolean][]]>([
    ['nothing', [], [[0, true]]],
    ['empty pieces', [0, 0], [[0, true]]],
    ['a few bytes', [3, 4], [[7, true]]],
    ['exactly one part', new Array(8).fill(mebibyte), [[partSize, true]]],
    [
      'one byte more',
      [...new Array(8).fill(mebibyte), 1],
      [
        [partSize, false],
        [1, true],
      ],
    ],
    [
      'one piece of several parts',
      [3 * partSize],
      [
        [partSize, false],
        [partSize, false],
        [partSize, true],
      ],
    ],
  ])('are cut at 8 MiB, and the last one is marked: %s', async (_, sizes, wanted) => {
    expect((await cut(sizes)).parts).toEqual(wanted);
  });

  it('are the source, byte for byte, however it comes', async () => {
    const pieces = fc.array(fc.oneof(fc.nat(200_000), fc.nat(3 * partSize)), { maxLength: 6 });

    await fc.assert(
      fc.asyncProperty(pieces, async (sizes) => {
        const source = Buffer.concat(sizes.map((size, i) => new Uint8Array(size).fill(i + 1)));

        expect((await cut(sizes)).bytes.equals(source)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('share one piece of memory, so that an upload takes no more than one part', async () => {
    const memories = new Set<ArrayBufferLike>();

    for await (const { bytes } of partsOf(inPieces(new Array(40).fill(mebibyte))))
      memories.add(bytes.buffer);

    expect(memories.size).toBe(1);
  });
});
