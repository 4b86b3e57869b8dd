import type { Context } from 'aws-lambda';
import type { Instant } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { later } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import { remainingOf } from './remaining-of.ts';

/**
 * One invocation's epoch: over when it has answered, and at its end by the clock, since a process that was frozen may
 * meet a reply that waited in its socket before its timers ring.
 */
export class InvocationEpoch implements Epoch {
  readonly #clock: Clock;
  readonly #end: Instant | undefined;
  #isOver = false;

  constructor(context: Context, clock: Clock) {
    const remaining = remainingOf(context);
    this.#clock = clock;
    this.#end = remaining === undefined ? undefined : later(clock.now(), remaining);
  }

  isOpen(): boolean {
    // Kept, since a machine's clock may be set back.
    this.#isOver ||= this.#end !== undefined && this.#clock.now() >= this.#end;
    return !this.#isOver;
  }

  /** The invocation has answered. */
  close(): void {
    this.#isOver = true;
  }
}
