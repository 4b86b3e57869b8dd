import type { Envelope } from '../kernel/envelope.ts';
import { type Failure, permanent } from '../kernel/failure.ts';
import type { OfEvent } from '../kernel/happening.ts';
import { isAnswer, type MessageAnswer, noAnswer } from './answer.ts';
import type { Care } from './care.ts';
import type { Handle } from './cared.ts';
import { envelopeIn } from './envelope-in.ts';
import type { EventSource } from './event-source.ts';
import { type JobEvent, jobEvent } from './job-event.ts';
import { overrun } from './ran.ts';
import { isRemembered } from './remembering.ts';
import type { Turn } from './turn.ts';

/** Who listens, to what, and with what care. */
export interface Listener {
  readonly care: Care;
  readonly consumer: string;
  readonly source: EventSource;
  readonly unknown: 'ignore' | 'poison';
}

/** The user's code for one event. */
export type EventCode = (event: JobEvent, turn: Turn) => Promise<MessageAnswer>;

/** Reads the event first, asks the inbox, and runs the user's code. */
export const handlesEvents =
  (listener: Listener, code: EventCode): Handle =>
  async (raw, turn) => {
    const envelope = envelopeIn(raw.body);
    if (!listener.source.names(envelope.type)) {
      passedBy(listener, envelope);
      return { instead: 'ignored', message: { ...raw, body: jobEvent(envelope) } };
    }
    const event = await listener.source.read(envelope);
    if (!turn.isOpen()) throw overrun();
    const message = { ...raw, body: event };
    if (await isRemembered(listener.care, message)) {
      tellEvent(listener, 'event-repeated', event);
      return { message };
    }
    const answer: unknown = await code(event, turn);
    if (isAnswer<MessageAnswer>(answer, ['done', 'done-with-writes', 'retry-later']))
      return { answer, message };
    throw noAnswer('a handler of events ends by done() or retryLater(…)', answer);
  };

/** An event that nobody here named. @throws Failure `event-unknown` where that is poison */
export function passedBy(listener: Listener, envelope: Envelope): void {
  if (listener.unknown === 'poison') throw unknownType(listener, envelope);
  tellEvent(listener, 'event-ignored', envelope);
}

/** Tells what became of an event, or of its part in one projection. */
export function tellEvent(
  { care: { world }, consumer }: Pick<Listener, 'care' | 'consumer'>,
  kind: 'event-repeated' | 'event-stale' | 'event-ignored',
  { id, type, projection }: Pick<JobEvent, 'id' | 'type'> & Pick<OfEvent, 'projection'>,
): void {
  const part = projection === undefined ? {} : { projection };
  world.observe({ kind, at: world.clock.now(), consumer, event: id, type, ...part });
}

const unknownType = ({ consumer }: Listener, { type, id }: Envelope): Failure =>
  permanent(
    'event-unknown',
    `consumer "${consumer}" takes no events of type "${type}": name it in of, or say unknown: 'ignore'`,
    { facts: { consumer, type, event: id } },
  );
