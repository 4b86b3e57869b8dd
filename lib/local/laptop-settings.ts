import type { Job } from '../handler/define-job.ts';
import type { OfWorld } from '../handler/of-world.ts';
import type { ReconcileSettings } from '../handler/reconcile-handler.ts';
import type { Duration } from '../kernel/brand.ts';
import type { Happening } from '../kernel/happening.ts';

/** What runs on a laptop, and how. */
export interface LaptopSettings<Queues extends string, Time> {
  /** Their worker, relay, sweeper and reconcile run by themselves. */
  readonly jobs?: readonly Job[];
  /** Consumers of events each have their own FIFO queue behind the relay. */
  readonly consumers?: Readonly<Record<string, OfWorld>>;
  /** Your own queues are FIFO when the name ends in `.fifo`. */
  readonly queues?: Readonly<Record<Queues, OfWorld>>;
  /** Sandboxes per function. @default 2, the fewest that can race */
  readonly workers?: number;
  /** How far each worker's clock is ahead of the laptop's, in milliseconds and by its number; behind when negative. @default none is */
  readonly skews?: readonly number[];
  /** The most messages of one invocation; a crash hits all of them. @default 10, as Lambda takes from a FIFO queue */
  readonly batchSize?: number;
  /** The same seed gives the same history. @default 1 */
  readonly seed?: number;
  /** `moved`: by hand, and by `settle`. @default 'moved' */
  readonly time?: Time;
  /** How long a function may run, unless a job's `limits.attempt` asks for more; a queue hides its messages six times as long. @default minutes(1), as infra does */
  readonly timeout?: Duration;
  /** Told whatever happens, as it happens. @default nobody; `laptop.happenings` remembers all of it */
  readonly observe?: (happening: Happening) => void;
  /** How reconcile goes about it. @default as `reconcileHandler` does */
  readonly reconcile?: ReconcileSettings;
  /** Further tables that your handlers use. @default none beside `jobs`, `ledger` and `care` */
  readonly tables?: readonly string[];
}
