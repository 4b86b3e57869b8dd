import type { GroupId } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import { type Envelope, enveloped, type Subject } from '../kernel/envelope.ts';
import type { StoredEvent } from '../kernel/event.ts';
import type { Json } from '../kernel/json.ts';
import { sizes, targets } from '../kernel/settings.ts';
import { sha256 } from '../kernel/sha256.ts';
import type { Outgoing } from './rounds.ts';

/** How the data of an event is shown to consumers. */
export type Shape = (subject: Subject, event: StoredEvent) => Json | undefined;

/** How an event goes out. */
export interface Way {
  readonly position: string;
  readonly shape: Shape;
  /** Set where it goes out once more to be handled once more: the deduplication id of that repeat, since the event's own may swallow it. */
  readonly repeat?: string;
  /** Whose memory of it is passed over, and under which name, since they are to handle it again. */
  readonly again?: { readonly name: string; readonly for: readonly string[] } | undefined;
}

/** Where an event goes: a command to the queue of its job's kind, all else to everyone else. */
export const targetOf = ({ channel }: Pick<StoredEvent, 'channel'>, kind: string): string =>
  channel === 'commands' ? targets.commands(kind) : targets.events;

/** An event on its way; its deduplication id is a hash of its own, unless it is a marked repeat. */
export function outgoing(event: StoredEvent, subject: Subject, by: Way): Outgoing {
  const { data, unfit } = shaped(event, subject, by.shape);
  const envelope = enveloped(subject, data === undefined ? event : { ...event, data });
  return {
    target: targetOf(event, subject.kind),
    eventId: event.id,
    position: by.position,
    entry: {
      id: by.repeat ?? sha256(event.id),
      group: subject.groupId as GroupId,
      body: bodyOf(by.repeat === undefined ? envelope : repeated(envelope, by)),
    },
    ...(unfit === undefined ? {} : { unfit }),
  };
}

const repeated = (envelope: Envelope, { again }: Way): Envelope => ({
  ...envelope,
  replay: true,
  ...(again === undefined ? {} : { replayas: again.name, replayfor: again.for.join(',') }),
});

/** JSON in which the two characters that SQS would replace (API reference of SendMessage) are escaped, so that they arrive. */
const bodyOf = (envelope: Envelope): string =>
  JSON.stringify(envelope).replace(
    /[\uFFFE\uFFFF]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16)}`,
  );

interface Shaped {
  readonly data: Json | undefined;
  readonly unfit?: string;
}

/** Commands are nobody's to shape; a shape that throws, or makes more than an event may carry, leaves the data as it was. */
function shaped(event: StoredEvent, subject: Subject, shape: Shape): Shaped {
  if (event.channel === 'commands') return { data: event.data };
  const unfit = (why: string) => ({ data: event.data, unfit: `the relay's shape failed: ${why}` });
  try {
    const data = shape(subject, event);
    const size = bytesOf(JSON.stringify(data) ?? '');
    return size <= sizes.event
      ? { data }
      : unfit(`it made ${size} bytes of at most ${sizes.event}`);
  } catch (thrown) {
    return unfit(thrown instanceof Error ? thrown.message : typeof thrown);
  }
}
