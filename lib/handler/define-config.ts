import { permanent } from '../kernel/failure.ts';
import { spokenIssues } from '../kernel/schema.ts';
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
 * @throws Failure `config-invalid`, which names each field that a config doesn't have
 * @example
 * import { defineConfig } from 'lanekeeper';
 *
 * export default defineConfig({
 *   jobs: [greet],
 *   queues: { 'orders.fifo': (world) => fifoHandler({ schema: Order, handle: async () => done() }, world) },
 * });
 */
export function defineConfig(config: Config): Config {
  const issues = Object.keys(config)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({ message: 'unknown field', path: [name] }));
  if (issues.length === 0) return config;
  throw permanent(
    'config-invalid',
    `the config is not right: ${spokenIssues(issues)}; its fields are ${Object.keys(fields).join(', ')}`,
  );
}

const fields: Readonly<Record<keyof Config, true>> = {
  jobs: true,
  consumers: true,
  queues: true,
  tables: true,
};
