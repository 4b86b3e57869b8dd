import type { Context } from 'aws-lambda';
import type { Duration } from '../kernel/brand.ts';
import type { Failure } from '../kernel/failure.ts';

/** One run of your code; it ends with the invocation, and what outlives it is refused. */
export interface Turn {
  /** Fires `margin` before the deadline, and at once when the work was lost to another worker; its reason is a {@link Failure}. */
  readonly signal: AbortSignal;
  /** Time until the signal fires. */
  remaining(): Duration;
  /** Lambda's own context, with whatever your middleware added to it. */
  readonly context: Context;
}

/** A turn as this library holds it: it can be ended. */
export interface OpenTurn extends Turn {
  /** False once the turn has ended: what user code does from then on changes nothing. */
  isOpen(): boolean;
  /** Fires the signal now. */
  abort(reason: Failure): void;
  /** Resolves when user code has had its grace and is no longer waited for. */
  readonly over: Promise<void>;
}
