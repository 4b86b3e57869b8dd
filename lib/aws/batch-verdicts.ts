import type { Entry, Verdict } from '../ports/sender.ts';
import { leftOut } from './in-requests.ts';
import { isRefusal } from './trouble.ts';

/** What SQS and SNS answer to a batch. */
export interface BatchReply {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined;
  readonly Failed?: readonly Failed[] | undefined;
}

interface Failed {
  readonly Id?: string | undefined;
  readonly SenderFault?: boolean | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

interface BatchEntry {
  readonly Id: string;
  readonly MessageGroupId: string;
  readonly MessageDeduplicationId: string;
  readonly MessageAttributes: Record<string, { DataType: string; StringValue: string }>;
}

/** What an entry says in a batch, beside its body; `Id` is its place. */
export const batchEntryOf = ({ id, group, attributes = {} }: Entry, place: number): BatchEntry => ({
  Id: String(place),
  MessageGroupId: group,
  MessageDeduplicationId: id,
  MessageAttributes: Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  ),
});

/** Reads a reply to entries: only what is named as successful was accepted. */
export const batchVerdicts = (entries: readonly Entry[], reply: BatchReply): readonly Verdict[] =>
  entries.map((_, place) => verdictOf(String(place), reply));

function verdictOf(id: string, { Successful = [], Failed = [] }: BatchReply): Verdict {
  if (Successful.some(({ Id }) => Id === id)) return { kind: 'sent' };
  const failed = Failed.find(({ Id }) => Id === id);
  if (failed === undefined) return leftOut;
  const { Code = 'no code', Message = '', SenderFault = false } = failed;
  return { kind: isRefusal(Code, SenderFault) ? 'refused' : 'outage', why: `${Code}: ${Message}` };
}
