import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamSource } from '../../lib/aws/stream-source.ts';

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
export async function toldBy(source: StreamSource): Promise<DynamoDBRecord[]> {
  const shards = await source.shards();
  const all: DynamoDBRecord[] = [];
  for (const { id } of shards) for await (const one of toldByShard(source, id)) all.push(one);
  return all;
}
