import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageSize } from '../kernel/message-size.ts';
import { sizes } from '../kernel/settings.ts';
import { batchEntryOf, batchVerdicts } from './batch-verdicts.ts';
import type { Wire } from './in-requests.ts';

/** To an SQS FIFO queue; its URL may have to be looked up. */
export const sqsWire = (client: SQSClient, url: () => Promise<string>): Wire => ({
  most: sizes.queueMessage,
  sizeOf: messageSize,
  async request(entries) {
    const QueueUrl = await url();
    const Entries = entries.map((entry, i) => ({
      ...batchEntryOf(entry, i),
      MessageBody: entry.body,
    }));
    const reply = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    return batchVerdicts(entries, reply);
  },
});
