import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import type { World } from '../../lib/index.ts';
import { type Lossy, proxyBefore } from './proxy.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

const mebibyte = 1024 * 1024;
const as = { contentType: 'application/octet-stream', attempt: 'A' };

/** So many pieces of one mebibyte, told as they are taken. */
async function* pieces(count: number, told: () => void = () => {}): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    told();
    yield new Uint8Array(mebibyte).fill(i);
  }
}

describe.skipIf(!hasEndpoint())('a bucket on S3', () => {
  let at: Stand;
  let proxy: Lossy;
  let world: World;
  beforeAll(async () => {
    at = await stand();
    proxy = await proxyBefore(process.env['AWS_ENDPOINT_URL'] ?? '');
    world = at.at(proxy.url);
    return async () => proxy[Symbol.asyncDispose]();
  });
  const operations = () => proxy.seen.map(({ operation }) => operation);

  it('sends what is small in one request', async () => {
    proxy.clear();

    await world.bucket.create('small', pieces(8), as);

    expect(operations()).toEqual(['PutObject']);
  });

  it('streams 64 MiB with at most three parts in memory', async () => {
    proxy.clear();
    let taken = 0;
    let most = 0;
    const sent = () => operations().filter((name) => name === 'UploadPart').length;
    const told = () => {
      taken += 1;
      most = Math.max(most, taken - sent() * 8);
    };

    const created = await world.bucket.create('large', pieces(64, told), as);

    expect(created).toMatchObject({ kind: 'created', stored: { size: 64 * mebibyte } });
    expect(sent()).toBe(8);
    expect(most).toBeLessThanOrEqual(24);
    expect(await world.bucket.head('large')).toEqual(created.kind === 'created' && created.stored);
  });

  it.each([
    ['small', 'PutObject', 1],
    ['in parts', 'CompleteMultipartUpload', 20],
  ])('recognises its own object, %s, though the reply got lost', async (name, operation, size) => {
    proxy.loseReply(operation);

    const created = await world.bucket.create(`lost ${name}`, pieces(size), as);

    expect(created).toMatchObject({
      kind: 'created',
      stored: { attempt: 'A', size: size * mebibyte },
    });
  });

  it.each([
    ['small', 1],
    ['in parts', 20],
  ])('overwrites nothing, %s', async (name, size) => {
    const key = `taken ${name}`;
    const first = await world.bucket.create(key, pieces(size), as);

    const second = await world.bucket.create(key, pieces(size), { ...as, attempt: 'B' });

    expect(second).toMatchObject({ kind: 'taken', stored: { attempt: 'A' } });
    expect(await world.bucket.head(key)).toEqual(first.kind === 'created' && first.stored);
  });

  it('leaves no parts behind when its source fails', async () => {
    const source = (async function* () {
      yield* pieces(20);
      throw new TypeError('the disk went away');
    })();

    const creating = world.bucket.create('failing', source, as);

    await expect(creating).rejects.toThrow('the disk went away');
    const s3 = new S3Client({ forcePathStyle: true });
    const { Uploads = [] } = await s3.send(
      new ListMultipartUploadsCommand({ Bucket: at.settings.bucket }),
    );
    expect(Uploads).toEqual([]);
    expect(await world.bucket.head('failing')).toBeUndefined();
  });

  it('closes its source when an upload can’t begin', async () => {
    let isClosed = false;
    const source = (async function* () {
      try {
        yield* pieces(20);
      } finally {
        isClosed = true;
      }
    })();
    const { bucket } = onAws({ ...at.settings, bucket: `${at.settings.bucket}-missing` });

    await expect(bucket.create('key', source, as)).rejects.toMatchObject({ name: 'NoSuchBucket' });

    expect(isClosed).toBe(true);
  });
});
