import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { unmarshalled } from '../kernel/attribute-value.ts';
import type { Instant } from '../kernel/brand.ts';
import { canonical } from '../kernel/json.ts';
import type { Schema } from '../kernel/schema.ts';
import { type Reading, valid } from './reading.ts';
import { foreign, listed, needed, type Streamed } from './streamed.ts';

/** The records of a table's stream, which are of one shard. @throws Failure `event-invalid` for another source's event */
export const dynamodbRecords = (event: DynamoDBStreamEvent): readonly Streamed[] =>
  listed(event?.Records, 'DynamoDB Streams').map((record, index) => {
    const { dynamodb, eventID, eventSourceARN = '' } = record;
    const position = needed(dynamodb?.SequenceNumber, 'dynamodb.SequenceNumber', index);
    const key = keyOf(record, index);
    const id = eventID || position;
    const sentAt = (Number(dynamodb?.ApproximateCreationDateTime) * 1_000) as Instant;
    return {
      index,
      id,
      group: key,
      shard: '',
      position,
      source: eventSourceARN,
      message: { id, key, sentAt, record },
      // The door lets no parser through.
      read: <Body>({ schema }: Reading<Body>) =>
        valid(schema as Schema<unknown, Body>, images(record)),
    };
  });

/** With their types, so that the number 1 and the text "1" are two keys. */
function keyOf({ dynamodb }: DynamoDBRecord, index: number): string {
  const keys: unknown = dynamodb?.Keys;
  if (typeof keys === 'object' && keys !== null) return canonical(keys);
  throw foreign(`every record has dynamodb.Keys, Records[${index}] has ${typeof keys}`);
}

/** The row before and after; what the stream doesn't show is left out. */
const images = ({ dynamodb: { OldImage, NewImage } = {} }: DynamoDBRecord): object => ({
  ...(OldImage && { old: unmarshalled(OldImage) }),
  ...(NewImage && { new: unmarshalled(NewImage) }),
});
