import type { Duration } from './brand.ts';
import { days, hours, milliseconds, minutes, seconds } from './time.ts';

/** The tables, by the names that every world knows. */
export const tables = { jobs: 'jobs', ledger: 'ledger', care: 'care' } as const;

/** The sparse index of the jobs table: rows that someone must look at, by `sweepShard` and `sweepAt`. */
export const attention = {
  index: 'attention',
  key: { pk: 'sweepShard', sk: 'sweepAt' },
  shards: 8,
} as const;

/**
 * The optional index of the jobs table by each row's newest event, keys only: `2026-12-01T13#3` and the time of day with
 * the event's name, as `timeKey` makes them. Spread over shards, so that no hour is one hot key.
 */
export const timeIndex = {
  index: 'time',
  key: { pk: 'eventHour', sk: 'eventAt' },
  shards: 8,
} as const;

/** How many partitions of the ledger hold what was set aside, so that nobody scans for it. */
export const asidePartitions = 8;

/** How far reconcile came: a row of the ledger. */
export const watermarkKey = { pk: 'reconcile', sk: 'watermark' } as const;

/** Where the relay says when it last ran: a row of the ledger. */
export const heartbeatKey = { pk: 'heartbeat', sk: 'relay' } as const;

/** Records of the jobs table's stream with news, as a filter of an event source mapping; `isNews` in lib/handler asks again. */
export const newsPattern = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: { NewImage: { news: { N: [{ exists: true }] } } },
} as const;

/** Where events of a channel go: commands to the queue of the job's kind, events to everyone else. */
export const targets = {
  events: 'events',
  commands: (kind: string): string => `commands-${kind}`,
  /** A function's own dead-letter queue. */
  deadLetters: 'dead-letters',
} as const;

/** Lengths of time that protocols agree on. */
export const lengths: Readonly<
  Record<
    | 'skew'
    | 'grace'
    | 'margin'
    | 'earlyEnd'
    | 'connectionTimeout'
    | 'requestTimeout'
    | 'longestInvocation'
    | 'longestHiding'
    | 'behindHead'
    | 'ledgerMemory'
    | 'secondSweep'
    | 'crashSpan'
    | 'longestHeld'
    | 'overlap'
    | 'relayGrace'
    | 'idleAfter'
    | 'longestRepeat'
    | 'fullPass'
    | 'inboxMemory',
    Duration
  >
> = {
  /** How far two clocks may differ; decides only when a takeover is tried, never who is right. */
  skew: seconds(2),
  /** How long user code may take to end after its signal fired. */
  grace: seconds(1),
  /** What a handler keeps free before its deadline: one retried AWS call. */
  margin: seconds(2),
  /** How long before the deadline middy ends an invocation (`timeoutEarlyInMillis` of @middy/core). */
  earlyEnd: milliseconds(5),
  /** How long connecting to a service may take. */
  connectionTimeout: seconds(1),
  /** How long one request may take; the lease outlasts the deadline by it. */
  requestTimeout: seconds(5),
  /** The longest that Lambda lets an invocation run. */
  longestInvocation: minutes(15),
  /** The longest that SQS hides a message. */
  longestHiding: hours(12),
  /** Behind a failed head, the rest of its group stays hidden so much longer, so that the head comes back alone. */
  behindHead: seconds(3),
  /** The relay's proof of what it published is kept so long. */
  ledgerMemory: days(8),
  /** A swept job is looked at once more after so long, for uploads that were in flight. */
  secondSweep: days(1),
  /** Takeovers wear a job out only when they are spread over so long. */
  crashSpan: hours(1),
  /** A job held by another is asked for again after so long at most. */
  longestHeld: seconds(60),
  /** So far reconcile's windows reach into each other, and its proofs before its window: clocks and index lag stay below it. */
  overlap: hours(1),
  /** Events younger than this are left to the relay. */
  relayGrace: minutes(15),
  /** A job nobody works on and unchanged for so long gets its command again; more than a visibility timeout and a backoff. */
  idleAfter: hours(1),
  /** A command that changes nothing is sent again ever more seldom, but at least so often. */
  longestRepeat: days(1),
  /** With the time index, reconcile still reads every row so often. */
  fullPass: days(1),
  /** What was handled, and what the fence refused, is remembered so long: 14 days in the queue, 14 more in its FIFO dead-letter queue, which begins anew, and 8 in the ledger. */
  inboxMemory: days(14 + 14 + 8),
};

/** Sizes in bytes. Room for the end is kept: a terminal write always fits into DynamoDB's 400 KB. */
export const sizes: Readonly<
  Record<
    | 'inlineInput'
    | 'input'
    | 'progress'
    | 'failure'
    | 'event'
    | 'events'
    | 'ledgerItem'
    | 'queueMessage'
    | 'topicMessage'
    | 'busEvent'
    | 'parkedInline'
    | 'reason',
    number
  >
> = {
  inlineInput: 16 * 1024,
  input: 6 * 1024 * 1024,
  progress: 4 * 1024,
  failure: 4 * 1024,
  event: 64 * 1024,
  events: 256 * 1024,
  ledgerItem: 300 * 1024,
  /** The most of a message, and of a request: SQS's limit since 2025 (API reference of SendMessageBatch). */
  queueMessage: 1024 * 1024,
  /** The most of a message, and of a request: what SNS takes unless a topic's MaximumMessageSize says more (API reference of PublishBatch). */
  topicMessage: 256 * 1024,
  /** The most of an event, and of a request: EventBridge's limit before 2026, which some partitions still have. */
  busEvent: 256 * 1024,
  /** A parked message that is larger lies in the bucket; a row has at most 400 KB. */
  parkedInline: 300 * 1024,
  /** Why a message was dead-lettered, as one attribute. */
  reason: 2 * 1024,
};

/** How many messages of one group lie parked at most; what comes behind them waits in the queue. */
export const mostParked = 10_000;

/** The shape of a job's row; a worker that meets a newer one hands the message back. */
export const schemaNumber = 1;

/** The environment variables that infra sets and `onAws` reads: JSON objects from this library's names to real ones, a bucket's name, and the numbers around a handler. */
export const environment = {
  tables: 'LANEKEEPER_TABLES',
  bucket: 'LANEKEEPER_BUCKET',
  targets: 'LANEKEEPER_TARGETS',
  /** The ids of event source mappings, which only `lanekeeper doctor` reads. */
  mappings: 'LANEKEEPER_MAPPINGS',
  /** `on` where the jobs table has the time index, so that the package's reconcile reads it. */
  timeIndex: 'LANEKEEPER_TIME_INDEX',
  /** The timeout and the queue's numbers of a function, in milliseconds and counts. */
  function: 'LANEKEEPER_FUNCTION',
} as const;
