import type { KinesisStreamEvent } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import { bodyOf } from './reading.ts';
import { decoded, listed, needed, type Streamed } from './streamed.ts';

/** The records of a Kinesis event, which are of one shard. @throws Failure `event-invalid` for another source's event */
export const kinesisRecords = (event: KinesisStreamEvent): readonly Streamed[] =>
  listed(event?.Records, 'Kinesis').map((record, index) => {
    const { kinesis } = record;
    const position = needed(kinesis?.sequenceNumber, 'kinesis.sequenceNumber', index);
    const key = needed(kinesis.partitionKey, 'kinesis.partitionKey', index);
    const id = record.eventID || position;
    const sentAt = Math.round(kinesis.approximateArrivalTimestamp * 1_000) as Instant;
    return {
      index,
      id,
      group: key,
      shard: '',
      position,
      source: record.eventSourceARN,
      message: { id, key, sentAt, record },
      read: (reading) => bodyOf(reading, decoded(kinesis.data)),
    };
  });
