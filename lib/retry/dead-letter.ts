import type { GroupId, Instant } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import type { Failure } from '../kernel/failure.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { messageSize } from '../kernel/message-size.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import { sizes } from '../kernel/settings.ts';
import type { Entry } from '../ports/sender.ts';

/** A message that no retry can help. */
export interface Dead {
  readonly queue: string;
  readonly id: string;
  readonly group: GroupId;
  readonly body: string;
  readonly sequenceNumber: string | undefined;
  readonly attempt: number;
  readonly sentAt: Instant;
  /** What it was sent with, where it is text. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Names of what it was sent with and isn't text, which can't be sent on. */
  readonly leftOut: readonly string[];
  readonly trace: string | undefined;
}

/** The attribute that says why a message is dead. */
export const reasonAttribute = 'lanekeeper';

/** The most attributes of a message (SQS developer guide, "Message metadata"). */
const mostAttributes = 10;

/**
 * A message for the dead-letter queue: body, group and attributes as they were, and one more attribute, ASCII and at most
 * 2 KB, with the reason. It shrinks to the code where the message would grow too large, and goes where not even that fits.
 */
export function deadLetter(dead: Dead, failure: Failure, at: Instant): Entry {
  const { id, group, body } = dead;
  const kept = Object.entries(dead.attributes).filter(([name]) => name !== reasonAttribute);
  const fitting = Object.fromEntries(kept.slice(0, mostAttributes - 1));
  const left = [...dead.leftOut, ...kept.slice(mostAttributes - 1).map(([name]) => name)];
  const reasons = [reason({ ...dead, leftOut: left }, failure, at), ascii({ code: failure.code })];
  for (const text of reasons) {
    const attributes = { ...fitting, [reasonAttribute]: text };
    if (messageSize({ body, attributes }) <= sizes.queueMessage)
      return { id: `dead:${id}`, group, body, attributes };
  }
  return { id: `dead:${id}`, group, body, attributes: fitting };
}

/** Why a message is dead, read from its attributes; empty where no handler of ours sent it there. */
export function reasonOf(
  attributes: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const read = parsedJson(attributes[reasonAttribute] ?? '{}');
  return typeof read === 'object' && read !== null ? { ...read } : {};
}

/** All of the reason, with a sentence as long as there is room for. */
function reason(dead: Dead, { code, message }: Failure, at: Instant): string {
  const facts = factsOf(dead, code, at);
  for (let room = message.length; ; room = Math.floor(room * 0.75)) {
    const why = room < message.length ? `${message.slice(0, room)} ...` : message;
    const text = ascii({ ...facts, why });
    if (bytesOf(text) <= sizes.reason) return text;
    if (room === 0) return ascii({ code: facts.code });
  }
}

function factsOf(dead: Dead, code: string, at: Instant) {
  const { queue, id, sequenceNumber, attempt, sentAt, leftOut, trace } = dead;
  return {
    code: code.slice(0, 128),
    attempt,
    queue,
    messageId: id,
    ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
    ...(Number.isFinite(sentAt) ? { sentAt: isoTime(sentAt) } : {}),
    at: isoTime(at),
    ...(trace === undefined ? {} : { trace: trace.slice(0, 256) }),
    ...(leftOut.length === 0 ? {} : { leftOut: leftOut.join(' ').slice(0, 256) }),
  };
}

/** JSON whose letters beyond ASCII are escaped, since SQS refuses some of them. */
const ascii = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
