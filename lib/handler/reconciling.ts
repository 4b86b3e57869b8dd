import type { Context } from 'aws-lambda';
import type { Duration } from '../kernel/brand.ts';
import { seconds } from '../kernel/time.ts';
import type { Asked } from '../outbox/asked.ts';
import type { Shape } from '../outbox/outgoing.ts';
import type { Pass } from '../outbox/pass.ts';
import type { World } from '../ports/world.ts';
import type { Evidence } from './evidence.ts';
import type { MeteredStore } from './metered-store.ts';
import type { Publisher } from './published.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Tally } from './tally.ts';

/** Kept free before the deadline: a portion that isn't settled by then is done again by the next invocation. */
export const margin: Duration = seconds(5);

/** How many rows are settled at once: sent, proved, and then passed. */
export const portion = 250;

/** What one invocation reconciles with, and at what. */
export interface Reconciling extends Pick<World, 'clock' | 'random'> {
  readonly store: MeteredStore;
  readonly publisher: Publisher;
  readonly context: Context;
  readonly asked: Asked;
  readonly shape: Shape;
  readonly pass: Pass;
  readonly evidence: Evidence;
  readonly tally: Tally;
  readonly limit: RateLimit;
}
