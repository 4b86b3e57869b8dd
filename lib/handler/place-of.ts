import type { Place } from '../retry/parked-group.ts';
import type { Message } from './message.ts';

/** The name of a queue, which its ARN ends with. */
export const queueNameIn = (arn: string): string => arn.slice(arn.lastIndexOf(':') + 1);

/** The name of the queue that a message came from. */
export const queueOf = ({ record }: Message<unknown>): string => queueNameIn(record.eventSourceARN);

/** A message's group, in its queue. */
export const placeOf = (message: Message<unknown>): Place => ({
  queue: queueOf(message),
  group: message.group,
});
