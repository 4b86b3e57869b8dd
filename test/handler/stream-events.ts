import type {
  DynamoDBRecord,
  DynamoDBStreamEvent,
  KinesisStreamEvent,
  KinesisStreamRecord,
  MSKEvent,
  MSKRecord,
} from 'aws-lambda';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A Kinesis record as Lambda hands it over, named like `A1`: the letter is its partition key, the whole its body. */
export const kinesisRecord = (
  name: string,
  sequence: number,
  data = name,
): KinesisStreamRecord => ({
  kinesis: {
    kinesisSchemaVersion: '1.0',
    partitionKey: name.slice(0, 1),
    sequenceNumber: `4959033827149025660855969253836157109592157598913658${sequence}`,
    data: base64(data),
    approximateArrivalTimestamp: 1_545_084_650.987,
  },
  eventSource: 'aws:kinesis',
  eventVersion: '1.0',
  eventID: `shardId-000000000006:4959033827149025660855969253836157109592157598913658${sequence}`,
  eventName: 'aws:kinesis:record',
  invokeIdentityArn: 'arn:aws:iam::123456789012:role/lambda-role',
  awsRegion: 'us-east-2',
  eventSourceARN: 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks',
});

export const kinesisEvent = (...names: string[]): KinesisStreamEvent => ({
  Records: names.map((name, i) => kinesisRecord(name, 1_000 + 7 * i)),
});

/** A row's change, named like `A1`: the letter is its key. */
export const dynamodbRecord = (name: string, sequence: number): DynamoDBRecord => ({
  eventID: `c81e728d9d4c2f636f067f89cc14862c-${sequence}`,
  eventName: 'MODIFY',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: 'us-east-2',
  dynamodb: {
    ApproximateCreationDateTime: 1_479_499_740,
    Keys: { pk: { S: name.slice(0, 1) }, sk: { N: '101' } },
    OldImage: { pk: { S: name.slice(0, 1) }, sk: { N: '101' }, name: { S: 'before' } },
    NewImage: { pk: { S: name.slice(0, 1) }, sk: { N: '101' }, name: { S: name } },
    SequenceNumber: String(400_000_000_000_000_000_000n + BigInt(sequence)),
    SizeBytes: 26,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
  eventSourceARN:
    'arn:aws:dynamodb:us-east-2:123456789012:table/orders/stream/2024-06-10T19:26:16.525',
});

export const dynamodbEvent = (...names: string[]): DynamoDBStreamEvent => ({
  Records: names.map((name, i) => dynamodbRecord(name, 1_000 + 7 * i)),
});

/** A Kafka record; `key` and `value` are text, or null as Kafka knows it. */
export const kafkaRecord = (
  [topic, partition, offset]: readonly [topic: string, partition: number, offset: number],
  { key, value }: { readonly key: string | null; readonly value: string | null },
): MSKRecord => ({
  topic,
  partition,
  offset,
  timestamp: 1_545_084_650_987,
  timestampType: 'CREATE_TIME',
  key: (key === null ? null : base64(key)) as string,
  value: (value === null ? null : base64(value)) as string,
  headers: [{ headerKey: [104, 101, 97, 100] }],
});

/** An event of MSK, its records under their topics and partitions. */
export function kafkaEvent(...all: readonly MSKRecord[]): MSKEvent {
  const records: Record<string, MSKRecord[]> = {};
  for (const record of all) {
    const partition = `${record.topic}-${record.partition}`;
    records[partition] = [...(records[partition] ?? []), record];
  }
  return {
    eventSource: 'aws:kafka',
    eventSourceArn: 'arn:aws:kafka:us-east-1:123456789012:cluster/vpc-2priv-2pub/751d2973-2',
    bootstrapServers: 'b-2.demo.a1bcde.c1.kafka.us-east-1.amazonaws.com:9092',
    records,
  };
}
