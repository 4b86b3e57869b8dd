import type { GroupId } from '../kernel/brand.ts';
import { enveloped, type Subject } from '../kernel/envelope.ts';
import type { StoredEvent } from '../kernel/event.ts';
import type { Json } from '../kernel/json.ts';
import { targets } from '../kernel/settings.ts';
import { sha256 } from '../kernel/sha256.ts';
import type { Outgoing } from './rounds.ts';

/** How the data of an event is shown to consumers. */
export type Shape = (subject: Subject, event: StoredEvent) => Json | undefined;

/** An event on its way: to the queue of its job's kind, or to everyone else; its deduplication id is a hash of its own. */
export function outgoing(
  event: StoredEvent,
  subject: Subject,
  by: { readonly position: string; readonly shape: Shape },
): Outgoing {
  const data = event.channel === 'events' ? by.shape(subject, event) : event.data;
  return {
    target: event.channel === 'commands' ? targets.commands(subject.kind) : targets.events,
    eventId: event.id,
    position: by.position,
    entry: {
      id: sha256(event.id),
      group: subject.groupId as GroupId,
      body: JSON.stringify(enveloped(subject, data === undefined ? event : { ...event, data })),
    },
  };
}
