import {
  DeleteMessageBatchCommand,
  type DeleteMessageBatchCommandOutput,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { clientSettings } from './client-settings.ts';
import type { QueueAddress } from './make-resources.ts';

/** A message that couldn't be taken away, and why. */
export interface Undeleted {
  readonly id: string;
  readonly why: string;
}

/** A queue as an event source mapping reads it: records as Lambda hands them to a function. */
export class QueueSource {
  readonly #client: SQSClient;
  readonly #queue: QueueAddress;
  readonly #wait: number;

  /** @param wait - how long one request waits for a message, in seconds; shorter than a request may take */
  constructor(endpoint: string, queue: QueueAddress, wait = 3) {
    this.#client = new SQSClient(clientSettings({ endpoint }));
    this.#queue = queue;
    this.#wait = wait;
  }

  /** Up to 10 messages; none after a few seconds without one, or once `signal` fires. */
  async receive(signal: AbortSignal): Promise<readonly SQSRecord[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#queue.url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: this.#wait,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    const { Messages = [] } = await this.#client.send(command, { abortSignal: signal });
    return Messages.map((message) => recordOf(message, this.#queue.arn));
  }

  /**
   * Takes messages away, with a second request for those that the service couldn't take in the first. Answers what is
   * left, which comes back when its visibility timeout ends.
   */
  async delete(records: readonly SQSRecord[]): Promise<readonly Undeleted[]> {
    const first = await this.#delete(records);
    const again = first.filter(({ isFinal }) => !isFinal).map(({ record }) => record);
    const left = [...first.filter(({ isFinal }) => isFinal), ...(await this.#delete(again))];
    return left.map(({ record: { messageId }, why }) => ({ id: messageId, why }));
  }

  async #delete(records: readonly SQSRecord[]): Promise<readonly Failed[]> {
    if (records.length === 0) return [];
    const Entries = records.map(({ receiptHandle }, i) => ({
      Id: String(i),
      ReceiptHandle: receiptHandle,
    }));
    const command = new DeleteMessageBatchCommand({ QueueUrl: this.#queue.url, Entries });
    return failedOf(records, await this.#client.send(command));
  }

  close(): void {
    this.#client.destroy();
  }
}

interface Failed {
  readonly record: SQSRecord;
  readonly why: string;
  /** Whether the same request would fail again, as with a handle that is over. */
  readonly isFinal: boolean;
}

/** What a reply doesn't say is deleted, it leaves in the queue. */
function failedOf(
  records: readonly SQSRecord[],
  { Successful = [], Failed = [] }: DeleteMessageBatchCommandOutput,
): readonly Failed[] {
  const deleted = new Set(Successful.map(({ Id }) => Id));
  return records.flatMap((record, i) => {
    if (deleted.has(String(i))) return [];
    const {
      Code = 'Unanswered',
      Message = 'the reply left this message out',
      SenderFault = false,
    } = Failed.find(({ Id }) => Id === String(i)) ?? {};
    return [{ record, why: `${Code}: ${Message}`, isFinal: SenderFault }];
  });
}

function recordOf(message: Message, arn: string): SQSRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '' } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: message.Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: attributesOf(message),
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}

const attributesOf = ({ MessageAttributes = {} }: Message): SQSRecord['messageAttributes'] =>
  Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType ?? 'String',
        stringListValues: [],
        binaryListValues: [],
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined
          ? {}
          : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
      },
    ]),
  );
