import { type aws_cloudwatch as cloudwatch, Duration } from 'aws-cdk-lib';

/** Where docs/operations.md says what to do. */
type Anchor =
  | 'late-relay'
  | 'relay-errors'
  | 'throttled'
  | 'waiting'
  | 'dead-letters'
  | 'worker-errors'
  | 'nearly-late'
  | 'fenced-writes'
  | 'set-aside'
  | 'lost-events'
  | 'reconcile'
  | 'idle-jobs'
  | 'parked-groups'
  | 'let-go'
  | 'orphans'
  | 'doctor';

/** What is looked at, from when on it is too much, and what that means. */
export interface Watched {
  readonly metric: cloudwatch.Metric;
  /** Reached, it is too much. */
  readonly threshold: number;
  readonly says: string;
  readonly anchor: Anchor;
  /** Below the threshold it is too little, and so is no datum at all. @default false */
  readonly isLeast?: boolean;
}

/** By the alarm's id. */
export type AllWatched = Readonly<Record<string, Watched>>;

/** How often alarms look. */
export const every: Duration = Duration.minutes(5);

/** How long a message or a record may wait before somebody should look. */
export const longestWait: Duration = Duration.minutes(15);
