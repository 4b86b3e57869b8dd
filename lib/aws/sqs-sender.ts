import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { checkRequest } from '../kernel/check-request.ts';
import type { Epoch } from '../kernel/epoch.ts';
import type { Entry, Sender, Verdict } from '../ports/sender.ts';
import { bound } from './bound.ts';

/** A {@link Sender} to SQS FIFO queues, by their URLs. */
export class SqsSender implements Sender {
  readonly #client: SQSClient;
  readonly #url: (target: string) => string | undefined;

  constructor(client: SQSClient, url: (target: string) => string | undefined) {
    this.#client = client;
    this.#url = url;
  }

  async send(
    target: string,
    entries: readonly Entry[],
    epoch?: Epoch,
  ): Promise<readonly Verdict[]> {
    checkRequest(entries);
    const QueueUrl = this.#url(target);
    if (QueueUrl === undefined)
      return entries.map(() => ({ kind: 'outage', why: `there is no target "${target}"` }));
    try {
      const Entries = entries.map(entryOf);
      const command = new SendMessageBatchCommand({ QueueUrl, Entries });
      const reply = await this.#client.send(bound(command, epoch));
      return entries.map((_, i) => verdictOf(String(i), reply));
    } catch (thrown) {
      const why = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'no reply';
      return entries.map(() => ({ kind: 'outage', why }));
    }
  }
}

const entryOf = ({ id, group, body, attributes = {} }: Entry, i: number) => ({
  Id: String(i),
  MessageBody: body,
  MessageGroupId: group,
  MessageDeduplicationId: id,
  MessageAttributes: Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  ),
});

interface Reply {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined;
  readonly Failed?:
    | readonly {
        readonly Id?: string | undefined;
        readonly SenderFault?: boolean | undefined;
        readonly Code?: string | undefined;
        readonly Message?: string | undefined;
      }[]
    | undefined;
}

/** Only what is named as successful was accepted; a sender's fault will never pass as it is. */
function verdictOf(id: string, { Successful = [], Failed = [] }: Reply): Verdict {
  if (Successful.some(({ Id }) => Id === id)) return { kind: 'sent' };
  const failed = Failed.find(({ Id }) => Id === id);
  if (failed === undefined) return { kind: 'outage', why: 'the reply left this entry out' };
  const why = `${failed.Code}: ${failed.Message ?? ''}`;
  return { kind: failed.SenderFault ? 'refused' : 'outage', why };
}
