import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { permanent } from '../kernel/failure.ts';
import type { Variables } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { namedQueue } from './named-queue.ts';

/** A message in a dead-letter queue, while it is held. */
export interface DeadLetter {
  readonly id: string;
  readonly group: string;
  readonly sequenceNumber: string;
  readonly sentAt: number;
  readonly body: string;
  /** Its attributes that are text. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly message: Message;
}

/** How long a message is held while it is looked at, in seconds. */
const held = 120;

/** The dead letters of a queue, held as long as they are looked at: SQS shows no message without receiving it. */
export class DeadLetters {
  readonly #sqs = new SQSClient(clientSettings({}));
  readonly #from: string;
  readonly #to: string;

  private constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
  }

  /** @throws Failure `queue-unknown`, or `no-dead-letters` for a queue without a dead-letter queue */
  static async of(named: string, variables: Variables): Promise<DeadLetters> {
    const sqs = new SQSClient(clientSettings({}));
    const { url, deadLetters } = await namedQueue(sqs, named, variables);
    if (deadLetters !== undefined)
      return new DeadLetters((await namedQueue(sqs, deadLetters, variables)).url, url);
    throw permanent(
      'no-dead-letters',
      `queue "${named}" has no dead-letter queue: name the queue whose dead letters they are, not the dead-letter queue itself`,
    );
  }

  /** Up to ten more, of each group in order; none when the queue shows no more. */
  async next(): Promise<readonly DeadLetter[]> {
    const { Messages = [] } = await this.#sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#from,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: held,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages.map(deadLetterOf);
  }

  /** Sends one back to its queue, with all its attributes but the reason, and only then deletes it here. */
  async redrive(
    letter: DeadLetter,
    by: { readonly dedupId: string; readonly reason: string },
  ): Promise<void> {
    const { [by.reason]: _, ...MessageAttributes } = letter.message.MessageAttributes ?? {};
    const isFifo = this.#to.endsWith('.fifo');
    await this.#sqs.send(
      new SendMessageCommand({
        QueueUrl: this.#to,
        MessageBody: letter.body,
        MessageAttributes,
        ...(isFifo ? { MessageGroupId: letter.group, MessageDeduplicationId: by.dedupId } : {}),
      }),
    );
    await this.purge(letter);
  }

  /** Deletes one. */
  async purge({ message }: DeadLetter): Promise<void> {
    const { ReceiptHandle } = message;
    await this.#sqs.send(new DeleteMessageCommand({ QueueUrl: this.#from, ReceiptHandle }));
  }

  /** Lets go of those that were only looked at. */
  async letGo(letters: readonly DeadLetter[]): Promise<void> {
    for (let i = 0; i < letters.length; i += 10)
      await this.#sqs.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: this.#from,
          Entries: letters.slice(i, i + 10).map(({ message: { ReceiptHandle } }, n) => ({
            Id: String(n),
            ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        }),
      );
  }
}

function deadLetterOf(message: Message): DeadLetter {
  const { MessageId = '', Body = '', Attributes = {}, MessageAttributes = {} } = message;
  return {
    id: MessageId,
    group: Attributes.MessageGroupId ?? '',
    sequenceNumber: Attributes.SequenceNumber ?? '',
    sentAt: Number(Attributes.SentTimestamp),
    body: Body,
    attributes: Object.fromEntries(
      Object.entries(MessageAttributes).flatMap(([name, { StringValue }]) =>
        StringValue === undefined ? [] : [[name, StringValue]],
      ),
    ),
    message,
  };
}
