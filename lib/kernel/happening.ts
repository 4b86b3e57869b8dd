import type { Duration, Instant, JobId } from './brand.ts';
import type { Failure } from './failure.ts';

/** A happening of one kind: when, and what about. Of several kinds, each is a type of its own, so that one can be picked out. */
export type Told<Kind extends string, What> = Kind extends string
  ? { readonly kind: Kind; readonly at: Instant } & Readonly<What>
  : never;

/** Which message a {@link Happening} is about. */
export interface OfMessage {
  /** Where it came from: a queue's ARN, or a stream's, a table's or a topic's. */
  queue: string;
  /** Its message group; of a stream, its partition key. */
  group: string;
  messageId: string;
}

/** Which job a {@link Happening} is about, and whose turn it was. */
export interface OfJob {
  job: JobId;
  groupId: string;
  generation: number;
}

/** Which event a {@link Happening} is about, and whose handling of it; a projection is named where it was one's. */
export interface OfEvent {
  consumer: string;
  event: string;
  type: string;
  projection?: string;
}

/** Which events of a job a projection missed: those of its channel from `from` to `to`, both included. */
export interface Gap {
  readonly job: JobId;
  readonly incarnation: string;
  readonly from: number;
  readonly to: number;
}

/** All that is worth observing: logs, metrics, the console and tests read this union, and `kind` names the metric. */
export type Happening =
  | Told<'message-done' | 'message-repeated', OfMessage & { took: Duration }>
  /** Nothing counts the attempts at a stream's record. */
  | Told<'message-failed', OfMessage & { attempt: number | undefined; failure: Failure }>
  | Told<
      'message-dead-lettered' | 'message-parked',
      OfMessage & { attempt: number; failure: Failure }
    >
  | Told<'message-dropped', OfMessage & { because: string }>
  | Told<'group-parked' | 'group-released', { queue: string; group: string; waiting: number }>
  | Told<'message-held-back' | 'message-out-of-time', OfMessage & { behind: string | undefined }>
  | Told<'command-let-go', OfMessage & { because: string }>
  | Told<
      'job-submitted' | 'job-claimed' | 'job-released' | 'job-succeeded' | 'job-cancelled',
      OfJob
    >
  /** Both are a temporary remedy: an owner fell silent, and its job was done again, or what it had finished was committed for it. */
  | Told<'job-taken-over' | 'job-finished-for', OfJob & { silentFor: Duration }>
  | Told<'manifest-ignored', OfJob & { failure: Failure }>
  | Told<'job-failed', OfJob & { failure: Failure }>
  | Told<'write-fenced', OfJob & { what: string; by: number }>
  | Told<'events-published', { count: number; oldest: Duration }>
  | Told<'publish-held' | 'event-set-aside', { target: string; event: string; failure: Failure }>
  | Told<'event-repeated' | 'event-stale' | 'event-ignored', OfEvent>
  | Told<'gap-seen' | 'gap-filled' | 'gap-resynced', Gap & { projection: string }>
  | Told<'events-reconciled' | 'orphans-collected', { count: number }>
  /** Told by every run of reconcile: what nothing proves was published, what is set aside, and jobs that nobody works on. */
  | Told<
      'backlog',
      {
        /** How old the oldest event was that nothing proved, when it was found. */
        oldest: Duration;
        unproved: number;
        aside: number;
        idle: number;
        /** Events that are older than the ledger's memory; nobody knows whether they were published. */
        unprovable: number;
      }
    >;
