import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { groupId } from '../kernel/group-id.ts';
import { bytesOf } from '../kernel/json.ts';

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

/** SQS's limits: bytes of a message since 2025, and a deduplication id's length. */
const most = { bytes: 1024 * 1024, dedupId: 128 } as const;

/** @throws Failure for what SQS would refuse */
export function checkSending({ body, group, dedupId }: Sending, isFifo: boolean): void {
  if (isFifo) groupId(group);
  const size = bytesOf(body);
  if (size === 0 || size > most.bytes)
    throw permanent('message-size-invalid', `a message has 1 to ${most.bytes} bytes, got ${size}`);
  if (isFifo && (dedupId === '' || dedupId.length > most.dedupId))
    throw permanent(
      'dedup-id-invalid',
      `a deduplication id has 1 to ${most.dedupId} characters, got ${dedupId.length}`,
    );
}

/** A message as Lambda shows it. */
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
      ...(queue.isFifo
        ? {
            SequenceNumber: message.sequenceNumber,
            MessageGroupId: message.group,
            MessageDeduplicationId: message.dedupId,
          }
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
