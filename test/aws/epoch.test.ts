import { beforeAll, describe, expect, it } from 'vitest';
import type { Epoch, GroupId, World, Write } from '../../lib/index.ts';
import { type Lossy, proxyBefore } from './proxy.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

/** So many mebibytes, one at a time. */
async function* mebibytes(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(1024 * 1024).fill(i);
}

const put = (sk: string): Write => ({
  kind: 'put',
  table: 'own',
  key: { pk: 'epoch', sk },
  fields: { n: 1 },
  when: [],
});

const create = (count: number) => (world: World, epoch: Epoch) =>
  world.bucket.create(`epoch/${count}`, mebibytes(count), {
    contentType: 'text/plain',
    attempt: 'A',
    epoch,
  });

type Act = (world: World, epoch: Epoch) => Promise<unknown>;

const acts: readonly (readonly [string, readonly string[], Act])[] = [
  ['UpdateItem', [], ({ store }, epoch) => store.commit([{ ...put('u'), kind: 'update' }], epoch)],
  ['PutItem', [], ({ store }, epoch) => store.commit([put('a')], epoch)],
  ['DeleteItem', [], ({ store }, epoch) => store.commit([{ ...put('d'), kind: 'delete' }], epoch)],
  ['TransactWriteItems', [], ({ store }, epoch) => store.commit([put('a'), put('b')], epoch)],
  ['PutObject', [], create(1)],
  ['CreateMultipartUpload', [], create(9)],
  ['UploadPart', ['CreateMultipartUpload', 'AbortMultipartUpload'], create(10)],
  [
    'CompleteMultipartUpload',
    ['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'AbortMultipartUpload'],
    create(11),
  ],
  ['DeleteObject', [], ({ bucket }, epoch) => bucket.delete('epoch/1', epoch)],
];

describe.skipIf(!hasEndpoint())('a request whose reply gets lost as its epoch ends', () => {
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
  /** Over as soon as such a request has been answered. */
  const until = (operation: string): Epoch => ({ isOpen: () => !operations().includes(operation) });

  it.each(acts)('is not sent again by the SDK, nor by us: %s', async (operation, beside, act) => {
    proxy.clear();
    proxy.loseReply(operation);

    await expect(act(world, until(operation))).rejects.toMatchObject({
      code: 'epoch-over',
      remedy: 'let-go',
    });

    expect(operations().toSorted()).toEqual([operation, ...beside].toSorted());
  });

  it('is not sent again to a queue either, and told as an outage', async () => {
    proxy.clear();
    proxy.loseReply('SendMessageBatch');
    const entry = { id: 'a', group: 'A' as GroupId, body: 'A1' };

    const verdicts = await world.sender.send('events', [entry], until('SendMessageBatch'));

    expect(verdicts).toMatchObject([{ kind: 'outage' }]);
    expect(operations()).toEqual(['SendMessageBatch']);
  });
});
