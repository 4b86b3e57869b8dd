import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Hiding, Visibility } from '../ports/visibility.ts';

/** A {@link Visibility} on SQS; a queue is named by the ARN that its records carry. */
export class SqsVisibility implements Visibility {
  readonly #client: SQSClient;
  readonly #urlOf: (arn: string) => string | Promise<string>;

  constructor(client: SQSClient, urlOf: (arn: string) => string | Promise<string>) {
    this.#client = client;
    this.#urlOf = urlOf;
  }

  async hide(
    queue: string,
    entries: readonly Hiding[],
  ): Promise<readonly ('hidden' | 'lost' | 'outage')[]> {
    try {
      const { Successful = [], Failed = [] } = await this.#client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: await this.#urlOf(queue),
          Entries: entries.map(({ handle, length }, i) => ({
            Id: String(i),
            ReceiptHandle: handle,
            VisibilityTimeout: Math.ceil(length / 1_000),
          })),
        }),
      );
      return entries.map((_, i) => {
        if (Successful.some(({ Id }) => Id === String(i))) return 'hidden';
        return Failed.some(({ Id, SenderFault }) => Id === String(i) && SenderFault)
          ? 'lost'
          : 'outage';
      });
    } catch {
      return entries.map(() => 'outage' as const);
    }
  }
}
