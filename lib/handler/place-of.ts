import type { Place } from '../retry/parked-group.ts';
import type { Message } from './message.ts';

/** The name of the queue that a message came from. */
export const queueOf = ({ record }: Message<unknown>): string =>
  record.eventSourceARN.slice(record.eventSourceARN.lastIndexOf(':') + 1);

/** A message's group, in its queue. */
export const placeOf = (message: Message<unknown>): Place => ({
  queue: queueOf(message),
  group: message.group,
});
