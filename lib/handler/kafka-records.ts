import type { MSKRecord } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import { bodyOf, type Reading, valid } from './reading.ts';
import { decoded, foreign, type Streamed } from './streamed.ts';
import type { Streams } from './streams.ts';

/** The records of a Kafka event, of one or many partitions. @throws Failure `event-invalid` for another source's event */
export function kafkaRecords(event: Streams['kafka']['event']): readonly Streamed[] {
  const records: unknown = event?.records;
  if (typeof records !== 'object' || records === null || Array.isArray(records))
    throw foreign(`an event of Kafka has records by topic and partition, got ${typeof records}`);
  const source = 'eventSourceArn' in event ? event.eventSourceArn : event.bootstrapServers;
  return Object.entries(event.records)
    .flatMap(([partition, of]) => inPartition(partition, of))
    .map((record, index) => ({ ...record, index, source }));
}

function inPartition(
  partition: string,
  of: unknown,
): readonly Omit<Streamed, 'index' | 'source'>[] {
  if (Array.isArray(of)) return (of as readonly MSKRecord[]).map((it) => streamed(partition, it));
  throw foreign(`the records of ${partition} are a list, got ${typeof of}`);
}

function streamed(partition: string, record: MSKRecord): Omit<Streamed, 'index' | 'source'> {
  const offset: unknown = record?.offset;
  if (!isOffset(offset))
    throw foreign(`every record has an offset, one of ${partition} has ${JSON.stringify(offset)}`);
  const id = `${partition}:${offset}`;
  const key: string | null | undefined = record.key;
  return {
    id,
    // As it came and not as text, since binary keys that differ may look alike; without a key no text can meet it.
    group: JSON.stringify([partition, key ?? null]),
    shard: partition,
    position: { partition, offset },
    message: {
      id,
      key: typeof key === 'string' ? decoded(key) : undefined,
      sentAt: record.timestamp as Instant,
      record,
    },
    read: (reading) => readValue(reading, record.value),
  };
}

const isOffset = (offset: unknown): offset is number =>
  Number.isSafeInteger(offset) && Number(offset) >= 0;

/** A record without a value, which stands for a deletion, is null to a schema and no text to a parser. */
async function readValue<Body>(reading: Reading<Body>, value: string | null): Promise<Body> {
  if (typeof value === 'string') return bodyOf(reading, decoded(value));
  return reading.schema === undefined ? bodyOf(reading, '') : valid(reading.schema, null);
}
