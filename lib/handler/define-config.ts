import type { Job } from './define-job.ts';
import type { OfWorld } from './of-world.ts';

/** What a project consists of, as its `lanekeeper.config.ts` says it; tools read it, functions don't. */
export interface Config {
  /** Each gets its own command queue and worker. @default none */
  readonly jobs?: readonly Job[];
  /** Consumers of events, each with its own FIFO queue behind the topic, by names of letters, digits and dashes. @default none */
  readonly consumers?: Readonly<Record<string, OfWorld>>;
  /** Your own queues, by name; FIFO when the name ends in `.fifo`. @default none */
  readonly queues?: Readonly<Record<string, OfWorld>>;
  /** Further tables that your handlers use, by the world's names. @default none beside `jobs`, `ledger` and `care` */
  readonly tables?: readonly string[];
}

/**
 * What `lanekeeper.config.ts` exports as its default: `lanekeeper dev` and the other commands read it.
 *
 * @example
 * import { defineConfig } from 'lanekeeper';
 *
 * export default defineConfig({
 *   jobs: [greet],
 *   queues: { 'orders.fifo': (world) => fifoHandler({ schema: Order, handle: async () => done() }, world) },
 * });
 */
export const defineConfig = (config: Config): Config => config;
