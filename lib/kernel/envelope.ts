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
  /** The name of a replay for consumers that are to handle the event again … */
  readonly replayas?: string;
  /** … and the names of those consumers, separated by commas. */
  readonly replayfor?: string;
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

/** The attributes of a replay, and what they look like where they are there. */
const replays = [
  ['replayas', /^[\w.-]{1,64}$/],
  ['replayfor', /^[\w.-]{1,128}(,[\w.-]{1,128})*$/],
] as const;

/**
 * Reads an envelope from a message's body.
 *
 * @throws Failure `envelope-unreadable`, which names the first attribute that isn't right
 */
export function envelopeOf(text: string): Envelope {
  return envelopeFrom(parsed(text));
}

/** As {@link envelopeOf}, from a value that was read already. @throws Failure `envelope-unreadable` */
export function envelopeFrom(given: unknown): Envelope {
  const value = fieldsOf(given);
  const wrong = mistakeIn(value);
  if (wrong !== undefined) throw unreadable(wrong.name, wrong.wanted);
  return value as unknown as Envelope;
}

interface Mistake {
  readonly name: string;
  readonly wanted: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The first attribute that isn't right. */
function mistakeIn(value: Readonly<Record<string, unknown>>): Mistake | undefined {
  if (value['specversion'] !== '1.0') return { name: 'specversion', wanted: '"1.0"' };
  const text = texts.find((name) => !isText(value[name]));
  if (text !== undefined) return { name: text, wanted: 'a text' };
  const count = counts.find((name) => !Number.isSafeInteger(value[name]));
  if (count !== undefined) return { name: count, wanted: 'a whole number' };
  if (instantOf(String(value['time'])) === undefined)
    return { name: 'time', wanted: 'an RFC 3339 time' };
  const name = replays.find(([it, shape]) => !isNames(value[it], shape))?.[0];
  const wanted = 'names of letters, digits, dots, dashes and underscores';
  return name === undefined ? undefined : { name, wanted };
}

const isNames = (value: unknown, shape: RegExp): boolean =>
  value === undefined || (typeof value === 'string' && shape.test(value));

/** When the event was committed. */
export const committedAt = (envelope: Envelope): Instant =>
  instantOf(envelope.time) ?? (0 as Instant);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw permanent('envelope-unreadable', 'a CloudEvents envelope is JSON, got other text', {
      cause,
    });
  }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw permanent('envelope-unreadable', 'a CloudEvents envelope is a JSON object');
}

const unreadable = (name: string, wanted: string) =>
  permanent('envelope-unreadable', `the envelope's "${name}" must be ${wanted}`, {
    facts: { attribute: name },
  });
