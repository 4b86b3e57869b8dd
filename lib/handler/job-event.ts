import type { Instant } from '../kernel/brand.ts';
import { committedAt, type Envelope } from '../kernel/envelope.ts';
import type { Facts } from '../kernel/failure.ts';
import type { Stored } from '../ports/bucket.ts';
import type { Job, JobHead } from './define-job.ts';

/** A committed fact about a job; CloudEvents 1.0 on the wire. */
export interface JobEvent<Type extends string = string, Data = unknown> {
  /** Fixed at commit and the same in every repeat: `<job>:<incarnation>:<n>`, `n` counting over commands and events alike. */
  readonly id: string;
  readonly type: Type;
  readonly data: Data;
  readonly at: Instant;
  readonly trace: string | undefined;
  readonly replay: boolean;
  /** Which consumers are to handle a replayed event again, once per name of such a replay. */
  readonly replayAs?: { readonly name: string; readonly for: readonly string[] };
  readonly job: JobHead & { readonly incarnation: string; readonly version: number };
  /** 1, 2, 3 … without gaps per job, among the events that consumers see; a command is not one of them. */
  readonly sequence: number;
}

/** The events of a job that consumers see, told apart by `type`. */
export type EventOf<J> =
  J extends Job<infer Name, unknown, infer Data>
    ?
        | (JobEvent<`${Name}.succeeded`, Data> & { readonly result: Stored | undefined })
        | JobEvent<
            `${Name}.failed`,
            { readonly code: string; readonly message: string; readonly facts: Facts }
          >
        | JobEvent<`${Name}.cancelled`, { readonly because: string | undefined }>
    : never;

/** An event as consumers see it, read from its envelope. */
export function jobEvent(envelope: Envelope): JobEvent & { readonly result: Stored | undefined } {
  return {
    id: envelope.id,
    type: envelope.type,
    data: envelope.data,
    at: committedAt(envelope),
    trace: envelope.traceparent,
    replay: envelope.replay === true,
    ...replayed(envelope),
    sequence: envelope.sequence,
    result: resultOf(envelope),
    job: {
      id: envelope.subject as JobHead['id'],
      intentId: envelope.intentid,
      groupId: envelope.groupid as JobHead['groupId'],
      generation: envelope.generation,
      incarnation: envelope.incarnation,
      version: envelope.version,
    },
  };
}

function replayed({ replayas: name, replayfor }: Envelope): Pick<JobEvent, 'replayAs'> {
  if (name === undefined || replayfor === undefined) return {};
  return { replayAs: { name, for: replayfor.split(',') } };
}

function resultOf(envelope: Envelope): Stored | undefined {
  const { resultkey, resultsize, resultchecksum, resulttype } = envelope;
  if (resultkey === undefined || resultsize === undefined) return undefined;
  return {
    key: resultkey,
    size: resultsize,
    checksum: resultchecksum ?? '',
    contentType: resulttype ?? '',
  };
}
