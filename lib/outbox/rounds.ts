import { messageSize } from '../kernel/message-size.ts';
import { sizes } from '../kernel/settings.ts';
import type { Entry, Verdict } from '../ports/sender.ts';

/** One event on its way to one target. */
export interface Outgoing {
  readonly target: string;
  readonly entry: Entry;
  readonly eventId: string;
  /** The stream's sequence number of the write that committed it. */
  readonly position: string;
  /** Why it can't be sent as it was asked to be shaped; set aside like what a target refuses. */
  readonly unfit?: string;
}

/** The most entries of one request, and the most bytes, which is SNS's limit and lies below SQS's. */
const request = { entries: 10, bytes: sizes.topicMessage } as const;

/** What is sent next to one target, and what waits. */
export interface Round {
  readonly now: readonly Outgoing[];
  readonly waiting: readonly Outgoing[];
}

/**
 * Takes the next request out of what waits: at most one entry per group, since entries of one request can fail one by
 * one and a later event of a group must never pass an earlier one.
 */
export function nextRound(waiting: readonly Outgoing[]): Round {
  const now: Outgoing[] = [];
  const rest: Outgoing[] = [];
  const groups = new Set<string>();
  let bytes = 0;
  for (const outgoing of waiting) {
    const { group } = outgoing.entry;
    const size = messageSize(outgoing.entry);
    const fits =
      now.length < request.entries && (now.length === 0 || bytes + size <= request.bytes);
    if (fits && !groups.has(group)) {
      now.push(outgoing);
      bytes += size;
    } else rest.push(outgoing);
    groups.add(group);
  }
  return { now, waiting: rest };
}

/** What a request came to. */
export interface Sent {
  readonly sent: readonly Outgoing[];
  readonly refused: readonly { readonly outgoing: Outgoing; readonly why: string }[];
  readonly held: readonly { readonly outgoing: Outgoing; readonly why: string }[];
  /** What may still be sent: a group that wasn't accepted sends nothing more in this run. */
  readonly waiting: readonly Outgoing[];
}

/** Reads a request's verdicts; only `sent` counts as sent, and a missing verdict is an outage. */
export function afterRound({ now, waiting }: Round, verdicts: readonly Verdict[]): Sent {
  const judged = now.map((outgoing, i) => ({
    outgoing,
    verdict: verdicts[i] ?? { kind: 'outage' as const, why: 'the reply left this entry out' },
  }));
  const stopped = new Set(
    judged.filter(({ verdict }) => verdict.kind !== 'sent').map((it) => it.outgoing.entry.group),
  );
  const because = (kind: 'refused' | 'outage') =>
    judged.flatMap(({ outgoing, verdict }) =>
      verdict.kind === kind ? [{ outgoing, why: verdict.why }] : [],
    );
  const behind = waiting.filter(({ entry }) => stopped.has(entry.group));
  return {
    sent: judged.filter(({ verdict }) => verdict.kind === 'sent').map(({ outgoing }) => outgoing),
    refused: because('refused'),
    held: [
      ...because('outage'),
      ...behind.map((outgoing) => ({
        outgoing,
        why: 'an earlier event of its group was not accepted',
      })),
    ],
    waiting: waiting.filter(({ entry }) => !stopped.has(entry.group)),
  };
}

/** Whether a request got no answer at all, so that it is repeated with the same ids before anything else. */
export const isUnanswered = (verdicts: readonly Verdict[]): boolean =>
  verdicts.every(({ kind }) => kind === 'outage');
