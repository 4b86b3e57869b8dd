import type { Duration } from './brand.ts';
import type { Failure } from './failure.ts';

/**
 * How a record ended. Returned, never thrown; what isn't acknowledged is reported to SQS as failed and ends its group's run.
 *
 * `wait` hides the record for so long, and what is behind it a little longer; without it the queue's own visibility
 * timeout decides. `behind` is the id of the message that stood in the way; without one the message itself asked to wait.
 */
export type Outcome =
  | {
      readonly kind: 'done';
      /** It had been handled before, so nothing was done now. */
      readonly repeated?: true;
    }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly wait?: Duration;
      /** Counted failures, where something counts them. */
      readonly attempt?: number;
    }
  | { readonly kind: 'held-back'; readonly behind: string | undefined; readonly wait?: Duration }
  | { readonly kind: 'out-of-time'; readonly behind: string | undefined }
  /** It lies in the dead-letter queue, or with its parked group, and its own queue may forget it. */
  | {
      readonly kind: 'dead-lettered' | 'parked';
      readonly failure: Failure;
      readonly attempt: number;
    };

/** An outcome after which the queue may forget the record, and its group goes on. */
export type Acknowledged = Extract<Outcome, { readonly kind: 'done' | 'dead-lettered' | 'parked' }>;

/** Whether the queue may forget a record that ended so; never one without a verdict. */
export const isAcknowledged = (outcome: Outcome | undefined): outcome is Acknowledged =>
  outcome?.kind === 'done' || outcome?.kind === 'dead-lettered' || outcome?.kind === 'parked';
