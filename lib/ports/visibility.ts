import type { Duration } from '../kernel/brand.ts';

/** A received message, by its receipt handle, and how long it shall stay hidden from now on; at most 12 hours. */
export interface Hiding {
  readonly handle: string;
  readonly length: Duration;
}

/** When messages come back. */
export interface Visibility {
  /** Hides messages of one queue, named by its ARN, from now on for so long; a lost handle is told, never thrown. */
  hide(
    queue: string,
    entries: readonly Hiding[],
  ): Promise<readonly ('hidden' | 'lost' | 'outage')[]>;
}
