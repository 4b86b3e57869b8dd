import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';

/** A batch of so many groups with so many messages each, as SQS would hand it over. */
export function batchOf(groups: number, each: number): SQSEvent {
  const Records = Array.from({ length: groups * each }, (_, i) => record(`g${i % groups}`, i));
  return { Records };
}

/** An invocation with plenty of time left. */
export const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

const record = (group: string, i: number): SQSRecord => ({
  messageId: `m${i}`,
  receiptHandle: `h${i}`,
  body: '{}',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1700000000000',
    SenderId: 'bench',
    ApproximateFirstReceiveTimestamp: '1700000000000',
    MessageGroupId: group,
    MessageDeduplicationId: `d${i}`,
    SequenceNumber: String(i).padStart(20, '0'),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:bench.fifo',
  awsRegion: 'eu-central-1',
});
