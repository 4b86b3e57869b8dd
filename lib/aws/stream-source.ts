import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { permanent } from '../kernel/failure.ts';
import { clientSettings } from './client-settings.ts';
import { imageOf } from './item.ts';
import { nameOf } from './trouble.ts';

/** A run of records in order; its parent is read to its end before it. */
export interface StreamShard {
  readonly id: string;
  readonly parent: string | undefined;
}

/** What one look into a shard came to; without `next` the shard is closed and read to its end. */
export interface StreamPage {
  readonly records: readonly DynamoDBRecord[];
  readonly next: string | undefined;
}

/** A table's stream as an event source mapping reads it: records as Lambda hands them to a function. */
export class StreamSource {
  readonly #table: DynamoDBClient;
  readonly #client: DynamoDBStreamsClient;
  readonly #name: string;
  #arn: Promise<string> | undefined;

  constructor(endpoint: string, table: string) {
    this.#table = new DynamoDBClient(clientSettings({ endpoint }));
    this.#client = new DynamoDBStreamsClient(clientSettings({ endpoint }));
    this.#name = table;
  }

  /** All shards that the stream still knows; when there is no such stream any more, the next call looks for the table's new one. */
  async shards(): Promise<readonly StreamShard[]> {
    const StreamArn = await this.#streamArn();
    try {
      return await this.#shardsOf(StreamArn);
    } catch (thrown) {
      if (nameOf(thrown) === 'ResourceNotFoundException') this.#arn = undefined;
      throw thrown;
    }
  }

  async #shardsOf(StreamArn: string): Promise<readonly StreamShard[]> {
    const all: StreamShard[] = [];
    let from: { readonly ExclusiveStartShardId?: string } = {};
    for (;;) {
      const { StreamDescription: page = {} } = await this.#client.send(
        new DescribeStreamCommand({ StreamArn, ...from }),
      );
      for (const { ShardId = '', ParentShardId } of page.Shards ?? [])
        all.push({ id: ShardId, parent: ParentShardId });
      if (page.LastEvaluatedShardId === undefined) return all;
      from = { ExclusiveStartShardId: page.LastEvaluatedShardId };
    }
  }

  /** Where to read on in a shard: behind a sequence number, or from the oldest record that is kept. */
  async iterator(shard: string, after: string | undefined): Promise<string | undefined> {
    const behind =
      after === undefined
        ? ({ ShardIteratorType: 'TRIM_HORIZON' } as const)
        : ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after } as const);
    const { ShardIterator } = await this.#client.send(
      new GetShardIteratorCommand({
        StreamArn: await this.#streamArn(),
        ShardId: shard,
        ...behind,
      }),
    );
    return ShardIterator;
  }

  /** The records at an iterator, at most 100; `expired` when the iterator is older than its 15 minutes. */
  async read(iterator: string): Promise<StreamPage | 'expired'> {
    try {
      const { Records = [], NextShardIterator } = await this.#client.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: 100 }),
      );
      const arn = await this.#streamArn();
      return { records: Records.map((record) => recordOf(record, arn)), next: NextShardIterator };
    } catch (thrown) {
      if (nameOf(thrown) === 'ExpiredIteratorException') return 'expired';
      throw thrown;
    }
  }

  close(): void {
    this.#table.destroy();
    this.#client.destroy();
  }

  #streamArn(): Promise<string> {
    this.#arn ??= this.#lookedUp();
    this.#arn.catch(() => {
      this.#arn = undefined;
    });
    return this.#arn;
  }

  async #lookedUp(): Promise<string> {
    const { Table } = await this.#table.send(new DescribeTableCommand({ TableName: this.#name }));
    if (Table?.LatestStreamArn !== undefined) return Table.LatestStreamArn;
    throw permanent(
      'stream-off',
      `table "${this.#name}" has no stream: switch it on with new and old images`,
    );
  }
}

function recordOf(
  { eventID = '', eventName, dynamodb = {} }: _Record,
  arn: string,
): DynamoDBRecord {
  const { Keys, NewImage, OldImage, SequenceNumber = '', SizeBytes = 0 } = dynamodb;
  return {
    eventID,
    ...(eventName === undefined ? {} : { eventName }),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
    dynamodb: {
      ...(Keys === undefined ? {} : { Keys: imageOf(Keys) }),
      ...(NewImage === undefined ? {} : { NewImage: imageOf(NewImage) }),
      ...(OldImage === undefined ? {} : { OldImage: imageOf(OldImage) }),
      SequenceNumber,
      SizeBytes,
      ApproximateCreationDateTime: seconds(dynamodb.ApproximateCreationDateTime),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}

/** Lambda's events tell it in seconds. */
const seconds = (at: Date | undefined): number => Math.floor((at?.getTime() ?? 0) / 1_000);
