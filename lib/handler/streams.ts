import type {
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  KinesisStreamBatchResponse,
  KinesisStreamEvent,
  KinesisStreamRecord,
  MSKEvent,
  MSKRecord,
  SelfManagedKafkaEvent,
} from 'aws-lambda';
import type { Message } from './message.ts';

/** Where a Kafka topic goes on; Lambda takes this object where other sources have a number. */
export interface KafkaPosition {
  /** Topic and partition as the event names them, such as `orders-0`. */
  readonly partition: string;
  readonly offset: number;
}

/** What Lambda is told of a Kafka batch: where each partition goes on that isn't done. */
export interface KafkaBatchResponse {
  readonly batchItemFailures: { readonly itemIdentifier: KafkaPosition }[];
}

/** The sources whose records have an order, and what each of them speaks. */
export interface Streams {
  readonly kinesis: {
    readonly event: KinesisStreamEvent;
    readonly response: KinesisStreamBatchResponse;
    readonly record: KinesisStreamRecord;
    readonly key: string;
  };
  readonly dynamodb: {
    readonly event: DynamoDBStreamEvent;
    readonly response: DynamoDBBatchResponse;
    readonly record: DynamoDBRecord;
    readonly key: string;
  };
  readonly kafka: {
    readonly event: MSKEvent | SelfManagedKafkaEvent;
    readonly response: KafkaBatchResponse;
    readonly record: MSKRecord;
    readonly key: string | undefined;
  };
}

/** A stream's record after parsing: what your handler works on. */
export interface StreamMessage<Body, Raw, Key = string>
  extends Pick<Message<Body>, 'body' | 'sentAt'> {
  /** The same whenever the record comes, and no other record's of its stream: what makes a repeat known. */
  readonly id: string;
  /** What it is ordered by: Kinesis' partition key, the JSON of a row's keys, Kafka's key as text; undefined for a Kafka record without one. */
  readonly key: Key;
  readonly record: Raw;
}
