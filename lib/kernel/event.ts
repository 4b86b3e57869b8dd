import type { Instant } from './brand.ts';
import type { Json } from './json.ts';

/** `commands` goes to the workers of a kind, `events` to everyone else. */
export type Channel = 'commands' | 'events';

/** A fact about a job, as its row keeps it. */
export interface StoredEvent {
  /** Counts over both channels: 1, 2, 3 … per incarnation. */
  readonly n: number;
  readonly channel: Channel;
  /** Counts inside its channel: 1, 2, 3 … without gaps. */
  readonly sequence: number;
  /** `<job>:<incarnation>:<n>`, fixed at commit. */
  readonly id: string;
  /** `<kind>.run`, `<kind>.succeeded`, `<kind>.failed` or `<kind>.cancelled`. */
  readonly type: string;
  readonly version: number;
  readonly generation: number;
  readonly at: Instant;
  readonly trace?: string;
  readonly data?: Json;
}
