import { describe, expect, it } from 'vitest';
import { seconds } from '../../lib/kernel/time.ts';
import type { Bucket } from '../../lib/ports/bucket.ts';

/** A bucket under contract. */
export interface BucketAtHand {
  readonly bucket: Bucket;
  /** Not used by any other suite. */
  readonly prefix: string;
}

const as = { contentType: 'text/plain', attempt: 'A' };

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

/** So many mebibytes, one at a time. */
async function* mebibytes(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(1024 * 1024).fill(i);
}

/** What every bucket promises; facts fencing 2.1. Each case works on keys of its own. */
export function bucketContract(name: string, open: () => Promise<BucketAtHand>): void {
  let cases = 0;
  const begin = async () => {
    const { bucket, prefix } = await open();
    cases += 1;
    return { bucket, key: `${prefix}/${cases}/object`, prefix: `${prefix}/${cases}/` };
  };

  describe(`${name}, as a bucket`, () => {
    it('creates an object, and says the same of it afterwards', async () => {
      const { bucket, key } = await begin();

      const created = await bucket.create(key, bytes('a', 'bü'), as);

      expect(created).toMatchObject({
        kind: 'created',
        stored: { key, size: 4, contentType: 'text/plain', attempt: 'A' },
      });
      expect(await bucket.head(key)).toEqual(created.kind === 'created' && created.stored);
      expect(await textOf(bucket, key)).toBe('abü');
    });

    it('creates an empty object', async () => {
      const { bucket, key } = await begin();

      const created = await bucket.create(key, bytes(), as);

      expect(created).toMatchObject({ kind: 'created', stored: { size: 0 } });
      expect(await textOf(bucket, key)).toBe('');
    });

    it.each([
      ['other bytes', 'other', as],
      ['the same bytes of another attempt', 'abc', { ...as, attempt: 'B' }],
    ])(
      'overwrites nothing with %s, and says what is there (fact 2.1.1)',
      async (_, text, described) => {
        const { bucket, key } = await begin();
        const first = await bucket.create(key, bytes('abc'), as);

        const second = await bucket.create(key, bytes(text), described);

        expect(second).toEqual({ kind: 'taken', stored: first.kind === 'created' && first.stored });
        expect(await textOf(bucket, key)).toBe('abc');
      },
    );

    it('recognises the very bytes that the same attempt has sent before (fact 2.1.9)', async () => {
      const { bucket, key } = await begin();
      const first = await bucket.create(key, bytes('abc'), as);

      const again = await bucket.create(key, bytes('ab', 'c'), as);

      expect(again).toEqual(first);
    });

    it('has one winner among many creators at once', async () => {
      const { bucket, key } = await begin();

      const all = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          bucket.create(key, bytes(`from ${i}`), { ...as, attempt: `A${i}` }),
        ),
      );

      const won = all.filter(({ kind }) => kind === 'created');
      expect(won).toHaveLength(1);
      expect(await bucket.head(key)).toEqual(won[0]?.kind === 'created' && won[0].stored);
    });

    it('counts an object as there only once it is whole: the first to finish wins (fact 2.1.4)', async () => {
      const { bucket, key } = await begin();
      let go = (): void => {};
      const waiting = new Promise<void>((resolve) => {
        go = resolve;
      });
      const slow = bucket.create(
        key,
        (async function* () {
          yield* bytes('slow');
          await waiting;
        })(),
        { ...as, attempt: 'slow' },
      );

      const fast = await bucket.create(key, bytes('fast'), { ...as, attempt: 'fast' });
      go();

      expect(fast.kind).toBe('created');
      expect(await slow).toMatchObject({ kind: 'taken', stored: { attempt: 'fast' } });
      expect(await textOf(bucket, key)).toBe('fast');
    });

    it.each([1, 9])(
      'creates nothing when its source fails after %i MiB, hands the error on, and leaves the key free',
      async (count) => {
        const { bucket, key } = await begin();
        const failing = (async function* () {
          yield* mebibytes(count);
          throw new RangeError('the source failed');
        })();

        await expect(bucket.create(key, failing, as)).rejects.toThrow('the source failed');

        expect(await bucket.head(key)).toBeUndefined();
        expect((await bucket.create(key, bytes('after'), as)).kind).toBe('created');
        expect(await textOf(bucket, key)).toBe('after');
      },
    );

    it.each([1, 9])(
      'shows nothing of an object while its source is at %i MiB and goes on (fact 2.1.4)',
      async (count) => {
        const { bucket, key, prefix } = await begin();
        const seen: unknown[] = [];
        const source = (async function* () {
          yield* mebibytes(count);
          seen.push(await bucket.head(key), await keysOf(bucket, prefix));
          yield* bytes('end');
        })();

        await bucket.create(key, source, as);

        expect(seen).toEqual([undefined, []]);
        expect(await keysOf(bucket, prefix)).toEqual([key]);
      },
    );

    it('takes large objects in parts, whole and in order', async () => {
      const { bucket, key } = await begin();
      const mebibyte = 1024 * 1024;
      const source = (async function* () {
        for (let i = 0; i < 18; i++) yield new Uint8Array(mebibyte + 1).fill(i);
      })();

      const created = await bucket.create(key, source, as);

      expect(created).toMatchObject({ kind: 'created', stored: { size: 18 * (mebibyte + 1) } });
      const sums = new Array(18).fill(0);
      for await (const chunk of bucket.open(key)) for (const byte of chunk) sums[byte] += 1;
      expect(sums).toEqual(new Array(18).fill(mebibyte + 1));
    });

    it('overwrites nothing with a large object either, and recognises one that was sent before (facts 2.1.1, 2.1.9)', async () => {
      const { bucket, key } = await begin();
      const first = await bucket.create(key, mebibytes(9), as);

      const other = await bucket.create(key, mebibytes(10), { ...as, attempt: 'B' });
      const again = await bucket.create(key, mebibytes(9), as);

      expect(first.kind).toBe('created');
      expect(other).toEqual({ ...first, kind: 'taken' });
      expect(again).toEqual(first);
    });

    it('tells that nothing is there, by head and by open', async () => {
      const { bucket, key } = await begin();

      expect(await bucket.head(key)).toBeUndefined();
      await expect(textOf(bucket, key)).rejects.toMatchObject({ code: 'object-missing' });
    });

    it('lists keys by their beginning, in order', async () => {
      const { bucket, prefix } = await begin();
      for (const name of ['b', 'a/2', 'a/1', 'Z', 'ü'])
        await bucket.create(`${prefix}${name}`, bytes('x'), as);
      const listed = async (start: string) =>
        (await keysOf(bucket, start)).map((key) => key.slice(prefix.length));

      expect(await listed(prefix)).toEqual(['Z', 'a/1', 'a/2', 'b', 'ü']);
      expect(await listed(`${prefix}a/`)).toEqual(['a/1', 'a/2']);
      expect(await listed(`${prefix}none`)).toEqual([]);
    });

    it('deletes an object, and one that is not there too', async () => {
      const { bucket, key } = await begin();
      await bucket.create(key, bytes('x'), as);

      await bucket.delete(key);
      await bucket.delete(key);

      expect(await bucket.head(key)).toBeUndefined();
    });

    it('creates and deletes nothing once its epoch is over, and says so', async () => {
      const { bucket, key, prefix } = await begin();
      const epoch = { isOpen: () => false };
      await bucket.create(key, bytes('x'), as);
      const refused = { code: 'epoch-over', remedy: 'let-go' };

      await expect(bucket.delete(key, epoch)).rejects.toMatchObject(refused);
      await expect(
        bucket.create(`${prefix}small`, bytes('y'), { ...as, epoch }),
      ).rejects.toMatchObject(refused);
      await expect(
        bucket.create(`${prefix}large`, mebibytes(18), { ...as, epoch }),
      ).rejects.toMatchObject(refused);

      expect(await keysOf(bucket, prefix)).toEqual([key]);
    });

    it.each([1, 9, 18])(
      'creates nothing where its epoch ends with the %i-th MiB of 18, and leaves the key free',
      async (count) => {
        const { bucket, key } = await begin();
        let isOpen = true;
        const source = (async function* () {
          yield* mebibytes(count);
          isOpen = false;
          yield* mebibytes(18 - count);
        })();

        await expect(
          bucket.create(key, source, { ...as, epoch: { isOpen: () => isOpen } }),
        ).rejects.toMatchObject({ code: 'epoch-over' });

        expect(await bucket.head(key)).toBeUndefined();
        const again = { ...as, epoch: { isOpen: () => true } };
        expect((await bucket.create(key, bytes('after'), again)).kind).toBe('created');
        expect(await textOf(bucket, key)).toBe('after');
      },
    );

    it('gives an address that names the object', async () => {
      const { bucket, key } = await begin();
      await bucket.create(key, bytes('x'), as);

      const url = await bucket.url(key, seconds(60));

      expect(decodeURIComponent(url)).toContain(key);
    });
  });
}

async function keysOf(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of bucket.list(prefix)) keys.push(key);
  return keys;
}

async function textOf(bucket: Bucket, key: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bucket.open(key)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
