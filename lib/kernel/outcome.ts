import type { Duration } from './brand.ts';
import type { Failure } from './failure.ts';

/**
 * How a record ended. Returned, never thrown; whatever isn't `done` is reported to SQS as failed and ends its group's run.
 *
 * `wait` hides the record for so long, and what is behind it a little longer; without it the queue's own visibility
 * timeout decides. `behind` is the id of the message that stood in the way; without one the message itself asked to wait.
 */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly wait?: Duration }
  | { readonly kind: 'held-back'; readonly behind: string | undefined; readonly wait?: Duration }
  | { readonly kind: 'out-of-time'; readonly behind: string | undefined };
