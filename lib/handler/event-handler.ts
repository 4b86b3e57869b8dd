import { eventEntry } from '../inbox/entry.ts';
import { permanent } from '../kernel/failure.ts';
import { tables } from '../kernel/settings.ts';
import type { Observe, World } from '../ports/world.ts';
import type { MessageAnswer } from './answer.ts';
import type { BatchSettings } from './batch-settings.ts';
import { type CareSettings, careOf, checkConsumer, checkTable } from './care.ts';
import { type EventFrom, eventSource, type Source } from './event-source.ts';
import type { JobEvent } from './job-event.ts';
import { type EventCode, handlesEvents, type Listener, tellEvent } from './listener.ts';
import type { Message } from './message.ts';
import { type DefinedProjection, definedProjection, type Projection } from './projection.ts';
import { projectsEvents } from './projects-events.ts';
import { queueHandler, type SqsHandler } from './queue-handler.ts';
import type { Turn } from './turn.ts';
import { withCare } from './with-care.ts';

/** Who listens to what. */
export interface Listening<S> extends BatchSettings, Pick<CareSettings, 'retry' | 'poison'> {
  /** 1 to 128 letters, digits, dots, dashes and underscores: whose inbox it is. */
  readonly consumer: string;
  readonly of: S;
  /** The consumer's own table, by the world's name: its inbox entries are rows of it, so that they commit with your writes; keys `pk` and `sk`, time to live in `ttl`. */
  readonly table: string;
  /** What becomes of a type that neither `of` nor a projection names. @default 'ignore': acknowledged and told */
  readonly unknown?: 'ignore' | 'poison';
}

/** What is done with events: code of yours, or projections; not both, since each has a memory of its own. */
export type Consuming<S> =
  | {
      /** Handles one event, once: its inbox entry and the writes of `done` are one commit. */
      handle(event: EventFrom<S>, turn: Turn): Promise<MessageAnswer>;
      readonly projections?: never;
    }
  | { readonly projections: readonly Projection<EventFrom<S>>[]; readonly handle?: never };

/**
 * Handles events from SQS, bare or wrapped by SNS or EventBridge; a repeat changes nothing in `writes` and projections.
 * What isn't an event, or refused by its schema, ends by `poison`.
 *
 * @throws Failure at start: as `fifoHandler`, and `job-not-defined` or `projection-not-defined`
 * @example
 * export const handler = eventHandler(
 *   { consumer: 'board', table: 'board', of: exportJob, projections: [board] },
 *   world,
 * );
 */
export function eventHandler<const S extends Source>(
  settings: Listening<S> & Consuming<S>,
  world: World,
): SqsHandler {
  const observe = settings.observe ?? world.observe;
  const listener = listenerOf(settings, world, observe);
  const handle =
    settings.projections === undefined
      ? handlesEvents(listener, codeOf(settings))
      : projectsEvents(listener, projectionsOf(settings.projections, world));
  const { care } = listener;
  const { clock, visibility, bounds } = world;
  const parts = { clock, visibility, observe, bounds };
  return queueHandler(settings, parts, () => withCare(care, handle));
}

function listenerOf(
  settings: Listening<Source> & Pick<Consuming<never>, 'projections'>,
  world: World,
  observe: Observe,
): Listener {
  const { consumer, table, of, unknown = 'ignore', projections } = settings;
  checkConsumer(consumer, 'consumer');
  checkTable(table, `consumer "${consumer}"`, world);
  if (unknown !== 'ignore' && unknown !== 'poison')
    throw permanent(
      'setting-invalid',
      `unknown is 'ignore' or 'poison', got ${JSON.stringify(unknown)}`,
    );
  const id = ({ body }: Message<JobEvent>) => eventEntry(body, consumer);
  const inbox = projections === undefined ? { inbox: { consumer, table, id } } : {};
  const { retry, poison } = settings;
  const asked = { ...(retry && { retry }), ...(poison && { poison }), ...inbox };
  const care = careOf(asked, world, observe);
  const onRepeat = ({ body }: Message<unknown>) =>
    tellEvent({ care, consumer }, 'event-repeated', body as JobEvent);
  return { care: { ...care, onRepeat }, consumer, source: eventSource(of), unknown };
}

function codeOf(settings: { readonly handle?: unknown }): EventCode {
  const { handle } = settings;
  if (typeof handle === 'function') return handle.bind(settings) as EventCode;
  throw permanent('setting-invalid', 'a consumer has exactly one of handle and projections');
}

function projectionsOf(
  given: readonly Projection<never>[],
  world: World,
): readonly DefinedProjection[] {
  const all = given.map(definedProjection);
  for (const [i, { name, table, kind, ...rest }] of all.entries()) {
    checkTable(table, `projection "${name}"`, world);
    if ('remedy' in rest && rest.remedy.fills)
      checkTable(tables.jobs, `onGap: 'fill' of projection "${name}"`, world);
    if (all.findIndex((other) => other.name === name) < i)
      throw permanent(
        'setting-invalid',
        `two projections are called "${name}": their cursors would be one`,
      );
  }
  return all;
}
