import type { GroupId } from '../kernel/brand.ts';
import type { Epoch } from '../kernel/epoch.ts';

/** One message to send; `id` is its deduplication id, the same in every repeat. */
export interface Entry {
  readonly id: string;
  readonly group: GroupId;
  readonly body: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Outage: nothing is known against the message, try the same again. Refused: it will never pass as it is. */
export type Verdict =
  | { readonly kind: 'sent' }
  | { readonly kind: 'outage' | 'refused'; readonly why: string };

/** Where messages go out; `target` is a name that the world knows, or a queue's ARN. */
export interface Sender {
  /** Whether there is such a target, so that a door refuses at start to be made without one. */
  knows(target: string): boolean;
  /**
   * At most 10 entries, one per group; answers a verdict for every entry, in order; what lacks proof of acceptance isn't
   * `sent`. Once `epoch` is over nothing is sent, retries included, and that is told as an outage.
   */
  send(target: string, entries: readonly Entry[], epoch?: Epoch): Promise<readonly Verdict[]>;
}
