import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, describe } from 'vitest';
import { StreamSource } from '../../lib/aws/stream-source.ts';
import { streamContract } from '../contract/stream.contract.ts';
import { hasEndpoint, type Stand, stand } from './stand.ts';

/** Looks that find nothing new before a stream counts as told; AWS tells within a second. */
const quietLooks = 5;

const pause = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));

/** All that a shard tells, until nothing more comes. */
async function* toldByShard(source: StreamSource, shard: string) {
  let iterator = await source.iterator(shard, undefined);
  for (let quiet = 0; iterator !== undefined && quiet < quietLooks; quiet++) {
    const page = await source.read(iterator);
    if (page === 'expired') throw new Error('the iterator expired');
    yield* page.records;
    if (page.records.length > 0) quiet = -1;
    else await pause(50);
    iterator = page.next;
  }
}

/** All that a stream tells, shard by shard. */
async function toldBy(source: StreamSource) {
  const shards = await source.shards();
  const all: DynamoDBRecord[] = [];
  for (const { id } of shards) for await (const one of toldByShard(source, id)) all.push(one);
  return all;
}

describe.skipIf(!hasEndpoint())('the adapters of lanekeeper/aws', { timeout: 60_000 }, () => {
  let at: Stand;
  let source: StreamSource;
  beforeAll(async () => {
    at = await stand();
    const { AWS_ENDPOINT_URL = '' } = process.env;
    source = new StreamSource(AWS_ENDPOINT_URL, at.settings.tables?.['jobs'] ?? '');
    return () => source.close();
  });

  streamContract('DynamoDB Streams', async () => ({
    store: at.world.store,
    prefix: 'stream',
    records: async (pk) =>
      (await toldBy(source)).filter(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S === pk),
  }));
});
