import type { Context } from 'aws-lambda';
import type { Duration, Instant } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';
import type { Failure } from '../kernel/failure.ts';
import { between } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';

/** One run of your code; it ends with the invocation, and what outlives it is refused. */
export interface Turn {
  /**
   * Fires `margin` before the deadline, and at once when the work is known to be lost or its cancellation to be asked for;
   * its reason is a {@link Failure} with the code `deadline`, `superseded` or `cancelled`.
   */
  readonly signal: AbortSignal;
  /** Time until the signal fires. */
  remaining(): Duration;
  /** Lambda's own context, with whatever your middleware added to it. */
  readonly context: Context;
}

/** A turn as this library holds it: it can be ended. */
export interface OpenTurn extends Turn, Epoch {
  /** False once the turn has ended: what user code does from then on changes nothing. */
  isOpen(): boolean;
  /** Fires the signal now. */
  abort(reason: Failure): void;
  /** Resolves when user code has had its grace and is no longer waited for. */
  readonly over: Promise<void>;
  /** The whole invocation, which outlasts its turns: what this library itself still has to send is sent on its behalf. */
  readonly invocation: Epoch;
}

/** What all turns of one invocation share. */
export interface Bounds {
  readonly context: Context;
  readonly clock: Clock;
  /** When the signal fires; undefined where the runtime names no deadline. */
  readonly until: Instant | undefined;
  readonly over: Promise<void>;
  readonly epoch: Epoch;
}

/** One message's turn; its signal is made when somebody first asks for it. */
export class MessageTurn implements OpenTurn {
  readonly #bounds: Bounds;
  #controller: AbortController | undefined;
  #reason: Failure | undefined;
  #open = true;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get context(): Context {
    return this.#bounds.context;
  }

  get over(): Promise<void> {
    return this.#bounds.over;
  }

  get invocation(): Epoch {
    return this.#bounds.epoch;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined && !this.#controller.signal.aborted)
      this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Bound, so that user code may take it out of its turn. */
  readonly remaining = (): Duration => {
    const { until, clock } = this.#bounds;
    if (until === undefined) return Number.POSITIVE_INFINITY as Duration;
    return between(clock.now(), until);
  };

  isOpen(): boolean {
    return this.#open && this.#bounds.epoch.isOpen();
  }

  abort(reason: Failure): void {
    this.#reason ??= reason;
    if (this.#controller !== undefined) this.#controller.abort(this.#reason);
  }

  /** From now on what user code does changes nothing. */
  close(): void {
    this.#open = false;
  }
}
