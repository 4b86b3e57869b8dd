import { describe, expect, it } from 'vitest';
import { minutes } from '../../lib/kernel/time.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { MemoryBucket } from '../../lib/local/memory-bucket.ts';
import { at } from '../job/rows.ts';

const mebibyte = 1024 * 1024;
const as = { contentType: 'text/plain', attempt: 'A' };
const aBucket = () => new MemoryBucket('results', new HandClock(at(0)));

/** So many mebibytes, one at a time, and then whatever `end` does. */
async function* large(count: number, end: () => unknown = () => {}): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(mebibyte);
  await end();
}

const never = (): never => {
  throw new Error('the source failed');
};

describe('a bucket in memory', () => {
  it.each([
    [5, []],
    [6, ['k']],
  ])('sends %i MiB with these uploads on the way: %j', async (count, uploads) => {
    const bucket = aBucket();
    let seen: readonly string[] = [];

    await bucket.create(
      'k',
      large(count, () => (seen = bucket.uploads())),
      as,
    );

    expect(seen).toEqual(uploads);
    expect(bucket.uploads()).toEqual([]);
  });

  it('leaves the parts of a failed source behind, until they are aborted (fact fencing 2.1.4)', async () => {
    const bucket = aBucket();
    for (const key of ['a/1', 'b/1', 'b/2'])
      await expect(bucket.create(key, large(6, never), as)).rejects.toThrow('the source failed');
    expect(bucket.uploads()).toEqual(['a/1', 'b/1', 'b/2']);

    bucket.abortUploads('b/');

    expect(bucket.uploads()).toEqual(['a/1']);
    expect(await bucket.head('a/1')).toBeUndefined();
  });

  it('creates nothing from an upload that was aborted under way', async () => {
    const bucket = aBucket();

    const created = bucket.create(
      'k',
      large(6, () => bucket.abortUploads('')),
      as,
    );

    await expect(created).rejects.toMatchObject({ code: 'upload-aborted', remedy: 'try-again' });
    expect(await bucket.head('k')).toBeUndefined();
  });

  it('keeps copies of what it was given, and gives copies out', async () => {
    const bucket = aBucket();
    const chunk = new Uint8Array([1]);
    const source = (async function* () {
      yield chunk;
      chunk[0] = 2;
    })();
    await bucket.create('k', source, as);

    for await (const given of bucket.open('k')) given[0] = 3;

    const read: number[] = [];
    for await (const given of bucket.open('k')) read.push(...given);
    expect(read).toEqual([1]);
  });

  it('says the SHA-256 of its bytes in base64, as S3 does', async () => {
    const bucket = aBucket();

    await bucket.create('k', large(0), as);

    expect(await bucket.head('k')).toMatchObject({
      checksum: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    });
  });

  it('names what is there, as it was made, when the same bytes come again', async () => {
    const bucket = aBucket();
    await bucket.create('k', large(0), as);

    const again = await bucket.create('k', large(0), { ...as, contentType: 'text/csv' });

    expect(again).toMatchObject({ kind: 'created', stored: { contentType: 'text/plain' } });
  });

  it('gives an address with its end by the clock, whatever the key has in it', async () => {
    const url = new URL(await aBucket().url('a b/c?d#é', minutes(5)));

    expect(url.protocol).toBe('memory:');
    expect(url.host).toBe('results');
    expect(decodeURIComponent(url.pathname)).toBe('/a b/c?d#é');
    expect(url.searchParams.get('expires')).toBe(new Date(at(300_000)).toISOString());
  });
});
