import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { unmarshalled } from '../kernel/attribute-value.ts';
import { enveloped } from '../kernel/envelope.ts';
import { type Failure, permanent } from '../kernel/failure.ts';
import { canonical, type Json } from '../kernel/json.ts';
import { schemaNumber } from '../kernel/settings.ts';
import { newsOf } from '../outbox/news.ts';
import { outgoing, type Shape } from '../outbox/outgoing.ts';
import type { Outgoing } from '../outbox/rounds.ts';
import { type JobEvent, jobEvent } from './job-event.ts';

/** What a batch of a table's stream has to publish. */
export interface FromStream {
  readonly outgoing: readonly Outgoing[];
  /** The positions of records that this release can't read: a newer one wrote them. */
  readonly held: readonly string[];
}

/**
 * Reads the events of a batch; the filter of the mapping is a saving, so everything is looked at again here.
 *
 * @throws Failure `event-invalid` for another source's event, whose records would be lost by a response that names none
 */
export function readStream(event: DynamoDBStreamEvent, shape: Shape): FromStream {
  const records: unknown = event?.Records;
  if (!Array.isArray(records)) throw notAStream(typeof records);
  for (const { eventSource } of event.Records)
    if (eventSource !== undefined && eventSource !== 'aws:dynamodb') throw notAStream(eventSource);
  const all = event.Records.map((record) => fromRecord(record, shape));
  return { outgoing: all.flatMap((it) => it.outgoing), held: all.flatMap((it) => it.held) };
}

const notAStream = (got: string): Failure =>
  permanent(
    'event-invalid',
    `a relay reads a table's stream, got records of ${got}: is another source mapped to this function?`,
  );

function fromRecord({ dynamodb }: DynamoDBRecord, shape: Shape): FromStream {
  const position = dynamodb?.SequenceNumber ?? '';
  const now = dynamodb?.NewImage && unmarshalled(dynamodb.NewImage);
  const old = dynamodb?.OldImage && unmarshalled(dynamodb.OldImage);
  const news = newsOf({ old, new: now });
  if (news === undefined) return { outgoing: [], held: [] };
  if (Number(now?.['schema']) > schemaNumber) return { outgoing: [], held: [position] };
  const { subject, events } = news;
  return {
    outgoing: events.map((event) => outgoing(event, subject, { position, shape })),
    held: [],
  };
}

/** The caller's shape of an event's data, or the data as it was committed. */
export function shapeOf({ shape }: { readonly shape?: (event: JobEvent) => Json }): Shape {
  if (shape === undefined) return (_, event) => event.data;
  return (subject, event) => JSON.parse(canonical(shape(jobEvent(enveloped(subject, event)))));
}
