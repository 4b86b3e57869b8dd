import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

const sqs = new SQSClient({});

/** A name that nothing else has at this endpoint. */
export const freshName = (): string =>
  `lanekeeper-${process.pid}-${performance.now().toFixed(3).replace('.', '-')}`;

/** A FIFO queue of its own, by its URL. */
export async function aFifoQueue(): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName: `${freshName()}.fifo`,
      Attributes: {
        FifoQueue: 'true',
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
        VisibilityTimeout: '360',
      },
    }),
  );
  return QueueUrl;
}

/** A standard queue of its own, by its URL. */
export async function aQueue(): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: freshName() }));
  return QueueUrl;
}

export async function arnOf(QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn ?? '';
}

/** Lets a service send to a queue. */
export async function allow(Service: string, QueueUrl: string): Promise<void> {
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service },
        Action: 'sqs:SendMessage',
        Resource: await arnOf(QueueUrl),
      },
    ],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
}

/** One receive of up to ten messages. */
export async function received(QueueUrl: string, wait = 0): Promise<readonly Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: wait,
      AttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}

export const remove = (QueueUrl: string, ReceiptHandle: string | undefined) =>
  sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

/** Takes out what has come. */
export async function takenOut(url: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (;;) {
    const messages = await taken(url, 0);
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}

/** Takes out what another service hands on, which takes its time: waits for so many, and a second for none. */
export async function handedOn(url: string, count: number): Promise<readonly Message[]> {
  const all: Message[] = count === 0 ? [...(await taken(url, 1))] : [];
  const until = performance.now() + 45_000;
  while (all.length < count && performance.now() < until) all.push(...(await taken(url, 1)));
  return [...all, ...(await takenOut(url))];
}

async function taken(url: string, wait: number): Promise<readonly Message[]> {
  const messages = await received(url, wait);
  for (const { ReceiptHandle } of messages) await remove(url, ReceiptHandle);
  return messages;
}

/** A message as the sender contract sees it. */
export const arrivedOf = ({ Body = '', Attributes, MessageAttributes = {} }: Message) => ({
  body: Body,
  group: Attributes?.MessageGroupId ?? '',
  attributes: Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [name, StringValue]),
  ),
});
