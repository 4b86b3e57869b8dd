import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { describe } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { sizes } from '../../lib/kernel/settings.ts';
import { senderContract } from '../contract/sender.contract.ts';
import { aFifoQueue, allow, arnOf, arrivedOf, freshName, handedOn } from './queues.ts';
import { hasEndpoint } from './stand.ts';

const sns = new SNSClient({});

/** A FIFO topic of its own, with a queue that gets its messages as they are. */
async function aTopicWithQueue() {
  const { TopicArn = '' } = await sns.send(
    new CreateTopicCommand({
      Name: `${freshName()}.fifo`,
      Attributes: {
        FifoTopic: 'true',
        ContentBasedDeduplication: 'false',
        FifoThroughputScope: 'MessageGroup',
      },
    }),
  );
  const url = await aFifoQueue();
  await allow('sns.amazonaws.com', url);
  await sns.send(
    new SubscribeCommand({
      TopicArn,
      Protocol: 'sqs',
      Endpoint: await arnOf(url),
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );
  return { topic: TopicArn, url };
}

describe.skipIf(!hasEndpoint())('the adapters of lanekeeper/aws', () => {
  senderContract('SNS', async () => {
    const { topic, url } = await aTopicWithQueue();
    return {
      sender: onAws({ targets: { events: topic } }).sender,
      target: 'events',
      most: sizes.topicMessage,
      arrived: async (count) => (await handedOn(url, count)).map(arrivedOf),
    };
  });
});
