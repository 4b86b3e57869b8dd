import { permanent } from '../kernel/failure.ts';
import type { Gap } from '../kernel/happening.ts';
import type { Write } from '../ports/store.ts';
import { checkConsumer } from './care.ts';
import { type EventFrom, type EventSource, eventSource, type Source } from './event-source.ts';
import type { JobEvent } from './job-event.ts';

/** Phantom: carries a projection's events and never exists. */
declare const events: unique symbol;

/** A read model: it answers with plain values, and the library adds the guards. */
export interface Projection<in Event> {
  /** Its cursors carry it, so another name begins anew. */
  readonly name: string;
  /** Carries the events' types, and never exists. */
  readonly [events]?: (event: Event) => void;
}

/** What both kinds of projections are made of. */
export interface Projecting<S, Change> {
  /** Whose events; a delta takes all events of the jobs that it names, and passes by those whose type it doesn't. */
  readonly of: S;
  /** 1 to 128 letters, digits, dots, dashes and underscores. */
  readonly name: string;
  /** Where its rows are, by the world's name. */
  readonly table: string;
  /** What an event changes: plain values, from the event alone, since an event may come again. */
  change(event: EventFrom<S>): Change | { readonly kind: 'skip' };
}

/** What is known of a job's missing events: all that they did, up to and with the event `upTo`. */
export interface Snapshot {
  /** At most 99; committed together with the cursor. */
  readonly writes: readonly Write[];
  readonly upTo: number;
}

/** What a delta does about missing events. */
export interface Remedy {
  readonly fills: boolean;
  readonly resync: ((gap: Gap) => Promise<Snapshot>) | undefined;
}

interface Named {
  readonly name: string;
  readonly table: string;
  readonly source: EventSource;
  readonly change: (event: JobEvent) => unknown;
}

/** A projection with what its definition hides. */
export type DefinedProjection =
  | (Named & { readonly kind: 'snapshot' })
  | (Named & { readonly kind: 'delta'; readonly remedy: Remedy; readonly sorted: boolean });

/** A snapshot, from the inside. */
export type DefinedSnapshot = Extract<DefinedProjection, { readonly kind: 'snapshot' }>;

/** A delta, from the inside. */
export type DefinedDelta = Extract<DefinedProjection, { readonly kind: 'delta' }>;

/** The parts that both kinds share. @throws Failure `setting-invalid` */
export function named<S extends Source>(settings: Projecting<S, unknown>): Named {
  const { name, table, of } = settings;
  checkConsumer(name, "a projection's name");
  if (typeof table !== 'string' || table === '')
    throw permanent('setting-invalid', `projection "${name}" needs a table, got ${typeof table}`);
  if (typeof settings.change !== 'function')
    throw permanent('setting-invalid', `change of projection "${name}" is a function`);
  const change = settings.change.bind(settings) as (event: JobEvent) => unknown;
  return { name, table, source: eventSource(of), change };
}

/** As its users see it. */
export const projection = <Event>(defined: DefinedProjection): Projection<Event> =>
  Object.freeze(defined) as unknown as Projection<Event>;

/** What {@link projection} keeps to itself. @throws Failure `projection-not-defined` for a look-alike */
export function definedProjection(given: Projection<never>): DefinedProjection {
  const defined = given as unknown as DefinedProjection;
  if (typeof defined?.change === 'function' && defined.source !== undefined) return defined;
  throw permanent(
    'projection-not-defined',
    `a projection comes from snapshotProjection(…) or deltaProjection(…), got ${typeof given}`,
  );
}
