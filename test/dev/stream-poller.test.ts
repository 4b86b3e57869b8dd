import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { StreamPage, StreamShard } from '../../lib/aws/stream-source.ts';
import { StreamPoller } from '../../lib/dev/stream-poller.ts';
import { realClock } from '../../lib/handler/real-clock.ts';
import type { Duration } from '../../lib/index.ts';
import { until } from './project.ts';

const record = (SequenceNumber: string): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber, NewImage: { news: { N: '1' } } },
});

/** What a stream has, which no emulator shows: shards with parents, iterators that expire, reads that fail. */
interface Script {
  readonly shards: readonly (StreamShard & { readonly records: readonly string[] })[];
  /** Reads that fail or find their iterator expired, before they go well. */
  readonly trouble?: ('expired' | Error)[];
}

/** A stream of closed shards, one record a page, and a function that answers as it is told; both note what they did. */
function over({ shards, trouble = [] }: Script, answers: unknown[] = []) {
  const seen: string[] = [];
  const iterators: string[] = [];
  const source = {
    shards: async () => shards,
    async iterator(shard: string, after: string | undefined) {
      iterators.push(`${shard} ${after ?? 'oldest'}`);
      const all = shards.find(({ id }) => id === shard)?.records ?? [];
      return `${shard} ${after === undefined ? 0 : all.indexOf(after) + 1}`;
    },
    async read(iterator: string): Promise<StreamPage | 'expired'> {
      const first = trouble.shift();
      if (first === 'expired') return first;
      if (first !== undefined) throw first;
      const [shard = '', at = '0'] = iterator.split(' ');
      const all = shards.find(({ id }) => id === shard)?.records ?? [];
      const records = all.slice(Number(at), Number(at) + 2).map(record);
      const next = Number(at) + 2;
      return { records, next: next < all.length ? `${shard} ${next}` : undefined };
    },
    close() {},
  };
  const fleet = {
    name: 'relay',
    async invoke(event: unknown) {
      const { Records } = event as { readonly Records: readonly DynamoDBRecord[] };
      seen.push(Records.map(({ dynamodb }) => dynamodb?.SequenceNumber).join(' '));
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return { pid: 1, took: 0 as Duration, response: answer };
    },
  };
  const told: string[] = [];
  const poller = new StreamPoller({
    ...{ source, fleet, clock: realClock },
    filter: () => true,
    told: ({ kind }) => void told.push(kind),
  });
  return { seen, iterators, told, poller };
}

const failed = (itemIdentifier: string) => ({ batchItemFailures: [{ itemIdentifier }] });

describe('the poller of a stream', () => {
  it('reads parents to their end before their children, whatever order they are told in', async () => {
    const { seen, poller } = over({
      shards: [
        { id: 'child', parent: 'parent', records: ['3', '4'] },
        { id: 'parent', parent: undefined, records: ['1', '2'] },
      ],
    });

    await until(() => seen.length === 2, 'both shards were read');
    await poller.stop();
    expect(seen).toEqual(['1 2', '3 4']);
  });

  it('reads a shard whose parent the stream has forgotten', async () => {
    const { seen, poller } = over({ shards: [{ id: 'child', parent: 'gone', records: ['3'] }] });

    await until(() => seen.length === 1, 'the shard was read');
    await poller.stop();
    expect(seen).toEqual(['3']);
  });

  it('goes on behind the last record when an iterator has expired or a read fails', async () => {
    const { seen, iterators, told, poller } = over({
      shards: [{ id: 'one', parent: undefined, records: ['1', '2', '3'] }],
      trouble: [new Error('no answer'), 'expired'],
    });

    await until(() => seen.length === 2, 'all was read');
    await poller.stop();
    expect(seen).toEqual(['1 2', '3']);
    expect(iterators).toEqual(['one oldest', 'one oldest', 'one oldest']);
    expect(told).toContain('source-failed');
  });

  it('brings a batch back from its checkpoint, and whole when the function fails, before it reads on', async () => {
    const { seen, poller } = over(
      { shards: [{ id: 'one', parent: undefined, records: ['1', '2', '3'] }] },
      [new Error('killed'), failed('2'), undefined, undefined],
    );

    await until(() => seen.length === 4, 'all was delivered');
    await poller.stop();
    expect(seen).toEqual(['1 2', '1 2', '2', '3']);
  });
});
