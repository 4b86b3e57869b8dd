/**
 * Ordered, fenced handlers for SQS FIFO queues on AWS Lambda.
 *
 * Words: a *record* is one raw entry of a Lambda event, a *message* a record after parsing, a *message group* what SQS
 * orders. A *job* is the durable row that one piece of work is about, an *intent* the caller's own id for it, a *command*
 * the message that tells a worker to run it. The *generation* says who may process a job, the *version* is its state, the
 * *fence* guards every write of an *attempt*. A *candidate* is a result that is not yet true; *promotion* makes it true.
 * An *event* is a fact about a job, kept in its row and published by the *relay*.
 * @module
 */

export type { Candidate } from './candidate/candidate.ts';
export type { Bytes } from './candidate/encoded.ts';
export {
  type Answered,
  type Completed,
  complete,
  type DoneWithWrites,
  done,
  type Failed,
  fail,
  type JobAnswer,
  type MessageAnswer,
  type PlainAnswer,
  type PutOff,
  retryLater,
} from './handler/answer.ts';
export type { Changed } from './handler/ask-job.ts';
export type { BatchSettings } from './handler/batch-settings.ts';
export type { CareSettings, Inbox, Poison } from './handler/care.ts';
export type { ReplayOf } from './handler/chosen-events.ts';
export {
  type Because,
  createJobs,
  type Jobs,
  type Submitted,
} from './handler/create-jobs.ts';
export { type Config, defineConfig } from './handler/define-config.ts';
export {
  type Attempt,
  defineJob,
  type Job,
  type JobHead,
  type JobLimits,
  type JobSettings,
  type Request,
} from './handler/define-job.ts';
export {
  type DeltaChange,
  type DeltaSettings,
  deltaProjection,
  type OnGap,
} from './handler/delta-projection.ts';
export { type Consuming, eventHandler, type Listening } from './handler/event-handler.ts';
export type { EventFrom, Source } from './handler/event-source.ts';
export { fifoHandler, type QueueSettings } from './handler/fifo-handler.ts';
export type { EventOf, JobEvent } from './handler/job-event.ts';
export { type JobHandlerSettings, jobHandler } from './handler/job-handler.ts';
export type { JobView, Result } from './handler/job-view.ts';
export type { Message } from './handler/message.ts';
export type { ReadCost } from './handler/metered-store.ts';
export type { OfWorld } from './handler/of-world.ts';
export { once } from './handler/once.ts';
export type { Projecting, Projection, Snapshot } from './handler/projection.ts';
export type { Handler, SqsHandler } from './handler/queue-handler.ts';
export type { Reading } from './handler/reading.ts';
export {
  type RebuildPlace,
  type RebuildSettings,
  type Rebuilt,
  rebuildProjections,
} from './handler/rebuild-projections.ts';
export {
  type ReconcileEvent,
  type ReconcileSettings,
  reconcileHandler,
} from './handler/reconcile-handler.ts';
export { type RelaySettings, relayHandler } from './handler/relay-handler.ts';
export {
  type Replayed,
  type ReplaySettings,
  replayEvents,
} from './handler/replay-events.ts';
export type { RetrySettings } from './handler/retry-settings.ts';
export { type SnapshotChange, snapshotProjection } from './handler/snapshot-projection.ts';
export {
  type StreamReading,
  type StreamSettings,
  streamHandler,
} from './handler/stream-handler.ts';
export type {
  KafkaBatchResponse,
  KafkaPosition,
  StreamMessage,
  Streams,
} from './handler/streams.ts';
export { type Swept, sweepHandler } from './handler/sweep-handler.ts';
export type { Found, Reconciled, Why } from './handler/tally.ts';
export type { Turn } from './handler/turn.ts';
export type { WorkerRetry } from './handler/worker.ts';
export type { FunctionBounds } from './kernel/bounds.ts';
export type { Branded, Duration, GroupId, Instant, JobId } from './kernel/brand.ts';
export type { Epoch } from './kernel/epoch.ts';
export {
  type Details,
  type Facts,
  Failure,
  type FailureParts,
  isFailure,
  permanent,
  type Remedy,
  transient,
} from './kernel/failure.ts';
export type { Gap, Happening, OfEvent, OfJob, OfMessage, Told } from './kernel/happening.ts';
export type { Json, Jsonable } from './kernel/json.ts';
export type { Checked, Issue, Schema } from './kernel/schema.ts';
export { days, hours, minutes, seconds } from './kernel/time.ts';
export { type Line, lineOf } from './observe/line-of.ts';
export type {
  Bucket,
  Created,
  Described,
  SentBytes,
  Stored,
  StoredObject,
} from './ports/bucket.ts';
export type { Clock } from './ports/clock.ts';
export type { Random } from './ports/random.ts';
export type { Entry, Sender, Verdict } from './ports/sender.ts';
export type { Change, Commit, Condition, Key, Row, RowRange, Store, Write } from './ports/store.ts';
export type { Hiding, Visibility } from './ports/visibility.ts';
export type { Observe, World } from './ports/world.ts';
export type { Classify } from './retry/classified.ts';
