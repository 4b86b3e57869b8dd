import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageSize } from '../kernel/message-size.ts';
import { sizes } from '../kernel/settings.ts';
import { batchEntryOf, batchVerdicts } from './batch-verdicts.ts';
import { bound } from './bound.ts';
import type { Wire } from './in-requests.ts';

/** To an SQS queue; its URL may have to be looked up. A standard queue takes no deduplication id, and its groups order nothing. */
export const sqsWire = (client: SQSClient, url: () => Promise<string>): Wire => ({
  most: sizes.queueMessage,
  sizeOf: messageSize,
  async request(entries, epoch) {
    const QueueUrl = await url();
    const isFifo = QueueUrl.endsWith('.fifo');
    const Entries = entries.map((entry, i) => {
      const { MessageGroupId, MessageDeduplicationId, ...rest } = batchEntryOf(entry, i);
      const order = isFifo ? { MessageGroupId, MessageDeduplicationId } : {};
      return { ...rest, ...order, MessageBody: entry.body };
    });
    const reply = await client.send(
      bound(new SendMessageBatchCommand({ QueueUrl, Entries }), epoch),
    );
    return batchVerdicts(entries, reply);
  },
});
