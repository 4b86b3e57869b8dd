import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { GroupId, Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import type { Message } from './message.ts';

/** A record as it stands in its batch. */
export interface Received {
  readonly index: number;
  readonly id: string;
  /** What it is ordered by: its message group, or a name of its own where it has none to be ordered in. */
  readonly group: string;
  /** Whether the queue is FIFO and yet names no group, so that the record has no place in an order. */
  readonly isLost: boolean;
  readonly handle: string;
  readonly message: Message<string>;
}

/**
 * The records of an SQS event. FIFO is known by the queue's ARN; a group id alone says nothing, since fair standard
 * queues carry one too.
 *
 * @throws Failure `event-invalid` for anything that isn't an SQS event, since no truthful response could be given to it
 */
export function received(event: SQSEvent): readonly Received[] {
  const records: unknown = event?.Records;
  if (!Array.isArray(records))
    throw permanent(
      'event-invalid',
      `an SQS event has a list of Records, got ${typeof records}: is another source mapped to this function?`,
    );
  return (records as readonly SQSRecord[]).map(recordAt);
}

function recordAt(record: SQSRecord, index: number): Received {
  const id = record?.messageId;
  if (typeof id !== 'string' || id === '')
    throw permanent(
      'event-invalid',
      `every SQS record has a messageId, Records[${index}] has none`,
    );
  const arn: unknown = record.eventSourceARN;
  if (typeof arn !== 'string' || !/^arn:[^:]+:sqs:/.test(arn))
    throw permanent(
      'event-invalid',
      `every SQS record has an eventSourceARN, such as arn:aws:sqs:eu-west-1:123456789012:orders.fifo, that tells FIFO from standard; Records[${index}] has ${JSON.stringify(arn)}`,
    );
  const message = messageOf(record);
  const { group } = message;
  return {
    index,
    id,
    // A space is in no group id, so that a name of its own meets no real group.
    group: arn.endsWith('.fifo') && group !== '' ? group : `${id} ${index}`,
    isLost: group === '',
    handle: record.receiptHandle,
    message,
  };
}

/** A record as a message, whose attempts are its receives. */
export function messageOf(record: SQSRecord): Message<string> {
  const { attributes, messageId: id } = record;
  const fifo = record.eventSourceARN.endsWith('.fifo');
  return {
    id,
    body: record.body,
    record,
    sentAt: Number(attributes?.SentTimestamp) as Instant,
    group: (fifo ? (attributes?.MessageGroupId ?? '') : id) as GroupId,
    sequenceNumber: fifo ? attributes?.SequenceNumber : undefined,
    attempt: receivesOf(record),
  };
}

/** How often SQS has given a message out. */
export const receivesOf = ({ attributes }: SQSRecord): number =>
  Number(attributes?.ApproximateReceiveCount ?? 1);
