import type { FunctionBounds } from '../kernel/bounds.ts';
import type { Happening } from '../kernel/happening.ts';
import type { Bucket } from './bucket.ts';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';
import type { Sender } from './sender.ts';
import type { Store } from './store.ts';
import type { Visibility } from './visibility.ts';

/** Told whatever happens; must not throw, and is not waited for. */
export type Observe = (happening: Happening) => void;

/**
 * What handlers need from outside. Parts are made at first touch, and a door touches what it needs when it is made: a
 * missing setting fails at start, by name.
 */
export interface World {
  readonly store: Store;
  readonly bucket: Bucket;
  readonly sender: Sender;
  readonly visibility: Visibility;
  readonly clock: Clock;
  readonly random: Random;
  readonly observe: Observe;
  /** The numbers around the function that this world is in, where somebody says them: a door refuses to start against them. */
  readonly bounds?: FunctionBounds | undefined;
}
