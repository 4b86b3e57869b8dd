import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { groupId } from '../kernel/group-id.ts';
import { messageSize } from '../kernel/message-size.ts';
import { sizes } from '../kernel/settings.ts';

/** A message to send. */
export interface Sending {
  readonly body: string;
  readonly group: string;
  /** Remembered for five minutes from its first acceptance, also after the message is gone. */
  readonly dedupId: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A message as the queue keeps it. */
export interface Kept extends Sending {
  readonly id: string;
  readonly sequenceNumber: string;
  readonly sentAt: Instant;
  receiveCount: number;
  firstReceivedAt?: Instant;
  receivedAt?: Instant;
  handle?: string;
  hiddenUntil: Instant;
}

/** The letters, digits and punctuation marks that SQS takes in a deduplication id. */
const allowedDedupId = /^[!-~]{1,128}$/;

/** @throws Failure for what SQS would refuse */
export function checkSending(sending: Sending, isFifo: boolean): void {
  groupId(sending.group);
  const size = messageSize(sending);
  if (sending.body === '' || size > sizes.queueMessage)
    throw permanent(
      'message-size-invalid',
      `a message has 1 to ${sizes.queueMessage} bytes, got ${size}`,
    );
  if (isFifo && !allowedDedupId.test(sending.dedupId))
    throw permanent(
      'dedup-id-invalid',
      `a deduplication id has 1 to 128 letters, digits or punctuation marks, got ${JSON.stringify(sending.dedupId.slice(0, 140))} (${sending.dedupId.length} characters)`,
    );
}

/** A message as Lambda shows it; on a standard queue the group is there too, as in a fair queue, and orders nothing. */
export function recordOf(
  message: Kept,
  queue: { readonly arn: string; readonly isFifo: boolean },
): SQSRecord {
  return {
    messageId: message.id,
    receiptHandle: message.handle ?? '',
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAt),
      SenderId: 'laptop',
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      MessageGroupId: message.group,
      ...(queue.isFifo
        ? { SequenceNumber: message.sequenceNumber, MessageDeduplicationId: message.dedupId }
        : {}),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes ?? {}).map(([name, stringValue]) => [
        name,
        { stringValue, dataType: 'String' },
      ]),
    ),
    md5OfBody: createHash('md5').update(message.body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: queue.arn,
    awsRegion: 'local',
  };
}
