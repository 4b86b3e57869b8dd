import type { Instant } from './brand.ts';
import type { StoredEvent } from './event.ts';
import { permanent } from './failure.ts';
import { instantOf, isoTime } from './iso-time.ts';
import type { Json } from './json.ts';

/** What an event says about its job, beside what it says itself. */
export interface Subject {
  readonly id: string;
  readonly kind: string;
  readonly incarnation: string;
  readonly groupId: string;
  readonly intentId: string;
  readonly result?:
    | {
        readonly key: string;
        readonly size: number;
        readonly checksum: string;
        readonly contentType: string;
      }
    | undefined;
}

/** A command or event on the wire: CloudEvents 1.0 in JSON; extension attributes are lower-case and plain, as its section 3 asks. */
export interface Envelope {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly sequence: number;
  readonly version: number;
  readonly generation: number;
  readonly incarnation: string;
  readonly groupid: string;
  readonly intentid: string;
  readonly traceparent?: string;
  readonly replay?: true;
  readonly resultkey?: string;
  readonly resultsize?: number;
  readonly resultchecksum?: string;
  readonly resulttype?: string;
  readonly data?: Json;
}

/** Puts a stored event into its envelope; only a success speaks of the result. */
export function enveloped(subject: Subject, event: StoredEvent): Envelope {
  const { result } = subject;
  return {
    specversion: '1.0',
    id: event.id,
    source: `/lanekeeper/${subject.kind}`,
    type: event.type,
    subject: subject.id,
    time: isoTime(event.at),
    datacontenttype: 'application/json',
    sequence: event.sequence,
    version: event.version,
    generation: event.generation,
    incarnation: subject.incarnation,
    groupid: subject.groupId,
    intentid: subject.intentId,
    ...(event.trace === undefined ? {} : { traceparent: event.trace }),
    ...(result !== undefined && event.type === `${subject.kind}.succeeded`
      ? {
          resultkey: result.key,
          resultsize: result.size,
          resultchecksum: result.checksum,
          resulttype: result.contentType,
        }
      : {}),
    ...(event.data === undefined ? {} : { data: event.data }),
  };
}

const texts = [
  'id',
  'type',
  'source',
  'subject',
  'time',
  'incarnation',
  'groupid',
  'intentid',
] as const;
const counts = ['sequence', 'version', 'generation'] as const;

/**
 * Reads an envelope from a message's body.
 *
 * @throws Failure `envelope-unreadable`, which names the first attribute that isn't right
 */
export function envelopeOf(text: string): Envelope {
  const value = parsed(text);
  if (value['specversion'] !== '1.0') throw unreadable('specversion', '"1.0"');
  for (const name of texts)
    if (typeof value[name] !== 'string' || value[name] === '') throw unreadable(name, 'a text');
  for (const name of counts)
    if (!Number.isSafeInteger(value[name])) throw unreadable(name, 'a whole number');
  if (instantOf(String(value['time'])) === undefined) throw unreadable('time', 'an RFC 3339 time');
  return value as unknown as Envelope;
}

/** When the event was committed. */
export const committedAt = (envelope: Envelope): Instant =>
  instantOf(envelope.time) ?? (0 as Instant);

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw permanent('envelope-unreadable', 'a CloudEvents envelope is JSON, got other text', {
      cause,
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw permanent('envelope-unreadable', 'a CloudEvents envelope is a JSON object');
}

const unreadable = (name: string, wanted: string) =>
  permanent('envelope-unreadable', `the envelope's "${name}" must be ${wanted}`, {
    facts: { attribute: name },
  });
