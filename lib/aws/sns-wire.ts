import type { SNSClientConfig } from '@aws-sdk/client-sns';
import { messageSize } from '../kernel/message-size.ts';
import { sizes } from '../kernel/settings.ts';
import { batchEntryOf, batchVerdicts } from './batch-verdicts.ts';
import type { Wire } from './in-requests.ts';
import { loaded } from './loaded.ts';

/**
 * To SNS FIFO topics, by ARN: ordered per group, and a repeat within five minutes is swallowed, as on a FIFO queue.
 *
 * @throws Failure `package-missing` without `@aws-sdk/client-sns`
 */
export async function snsWire(config: SNSClientConfig): Promise<(TopicArn: string) => Wire> {
  const { PublishBatchCommand, SNSClient } = await loaded(
    '@aws-sdk/client-sns',
    () => import('@aws-sdk/client-sns'),
  );
  const client = new SNSClient(config);
  return (TopicArn) => ({
    most: sizes.topicMessage,
    sizeOf: messageSize,
    async request(entries) {
      const PublishBatchRequestEntries = entries.map((entry, i) => ({
        ...batchEntryOf(entry, i),
        Message: entry.body,
      }));
      const reply = await client.send(
        new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }),
      );
      return batchVerdicts(entries, reply);
    },
  });
}
