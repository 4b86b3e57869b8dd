import { permanent } from '../kernel/failure.ts';
import type { Schema } from '../kernel/schema.ts';
import type { PlainAnswer } from './answer.ts';
import type { BatchSettings } from './batch-settings.ts';
import { dynamodbRecords } from './dynamodb-records.ts';
import { kafkaRecords } from './kafka-records.ts';
import { kinesisRecords } from './kinesis-records.ts';
import { printLines } from './print-lines.ts';
import type { Handler } from './queue-handler.ts';
import { checkReading, type Reading } from './reading.ts';
import { realClock } from './real-clock.ts';
import { type Deciding, type SourceParts, sourceHandler } from './source-handler.ts';
import type { StreamMessage, Streams } from './streams.ts';
import type { Turn } from './turn.ts';

/** How the body of a stream's record is read: of a table by `schema` alone, since it is no text. */
export type StreamReading<Source extends keyof Streams, Body> = Source extends 'dynamodb'
  ? { readonly schema: Schema<unknown, Body>; readonly parse?: never; readonly unwrap?: never }
  : Reading<Body>;

/** How a stream is handled: whose records they are, how its batches run, how a body is read, and what is done with it. */
export type StreamSettings<Source extends keyof Streams, Body> = BatchSettings &
  StreamReading<Source, Body> & {
    readonly source: Source;
    /** Handles one record, which may come again; ends by `done()`, or by throwing. */
    handle(
      message: StreamMessage<Body, Streams[Source]['record'], Streams[Source]['key']>,
      turn: Turn,
    ): Promise<PlainAnswer>;
  };

/**
 * Handles a stream: one record at a time of a key, in order, keys side by side, and a checkpoint that never passes a record
 * that isn't done.
 *
 * The mapping must have `ReportBatchItemFailures`, and Kafka's must be in provisioned mode, or Lambda reads no checkpoint.
 * What is behind the checkpoint comes again though it was handled, so handlers must be idempotent. The text of a body is
 * what the base64 of the record holds as UTF-8; a table's body is `{ old, new }` as plain values, by `schema` alone. A body
 * that can't be read is its record's failure, which the mapping's own retries and on-failure destination end.
 *
 * @throws Failure at start: `setting-invalid`; in an invocation `event-invalid` for another source's event
 * @example
 * export const handler = lk.streamHandler({
 *   source: 'kinesis',
 *   schema: Order,
 *   async handle(order) {
 *     await ship(order.body);
 *     return done();
 *   },
 * });
 */
export function streamHandler<Source extends keyof Streams, Body>(
  settings: StreamSettings<Source, Body>,
): Handler<Streams[Source]['event'], Streams[Source]['response']> {
  checkReading(settings);
  checkSource(settings);
  const handler = sourceHandler(settings as unknown as Deciding, {
    clock: realClock,
    observe: settings.observe ?? printLines,
    records: sources[settings.source] as SourceParts<Streams[Source]['event']>['records'],
  });
  return handler as Handler<Streams[Source]['event'], Streams[Source]['response']>;
}

const sources: { [Source in keyof Streams]: SourceParts<Streams[Source]['event']>['records'] } = {
  kinesis: kinesisRecords,
  dynamodb: dynamodbRecords,
  kafka: kafkaRecords,
};

function checkSource({ source, schema, unwrap }: Reading<unknown> & { readonly source: string }) {
  if (!Object.hasOwn(sources, source))
    throw permanent(
      'setting-invalid',
      `source is one of ${Object.keys(sources).join(', ')}, got ${JSON.stringify(source)}`,
    );
  if (source === 'dynamodb' && (schema === undefined || unwrap !== undefined))
    throw permanent(
      'setting-invalid',
      'the body of a table’s stream is no text: it is read by schema, without parse and unwrap',
    );
}
