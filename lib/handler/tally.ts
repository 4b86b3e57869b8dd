import type { Duration, Instant } from '../kernel/brand.ts';
import { between } from '../kernel/time.ts';
import type { ReadCost } from './metered-store.ts';
import type { Resend } from './resend.ts';

/** Why an event was sent: nothing proves that it was published; a target refused it before; nobody works on its job. */
export type Why = 'unproved' | 'set-aside' | 'idle';

/** What was found for one reason and one target. */
export interface Found {
  readonly why: Why;
  readonly target: string;
  readonly found: number;
  /** Of those, how many the target took. */
  readonly published: number;
}

/** What an invocation of reconcile came to. */
export interface Reconciled {
  /** Rows of jobs, or their entries in the time index, that were looked at. */
  readonly checked: number;
  /** Events and commands that targets took; 0 in a dry run. */
  readonly published: number;
  readonly found: readonly Found[];
  /** Events that no target took this time; the next run tries them again. */
  readonly held: number;
  /** Events that are set aside now. */
  readonly aside: number;
  /** Jobs that nobody works on, whether their command was due to be sent again or not. */
  readonly idle: number;
  /** Events of the window that are older than the ledger's memory, so that nobody knows whether they were published. */
  readonly unprovable: number;
  /** Rows that a newer release wrote, and idle jobs whose command is gone from the row: left alone. */
  readonly unreadable: number;
  /** Commands that were sent again of jobs whose kind asks for order by submission: that order may be broken. */
  readonly orderBroken: number;
  /** How old the oldest event was that nothing proved, when it was found; nothing where there was none. */
  readonly oldestUnproved: Duration;
  /** The events that were judged, by when they were committed. */
  readonly window: { readonly since: string; readonly until: string };
  readonly cost: ReadCost;
  /** Parts of the pass that are not done yet: the next invocation goes on with them. */
  readonly left: number;
  readonly dryRun: boolean;
}

/** Counts while an invocation goes on. */
export class Tally {
  checked = 0;
  held = 0;
  idle = 0;
  unprovable = 0;
  unreadable = 0;
  published = 0;
  orderBroken = 0;
  unproved = 0;
  oldest: Duration = 0 as Duration;
  readonly #found = new Map<
    string,
    { why: Why; target: string; found: number; published: number }
  >();

  found({ why, outgoing: { target }, at }: Resend, now: Instant): void {
    this.#of(why, target).found += 1;
    if (why === 'idle') return;
    if (why === 'unproved') this.unproved += 1;
    this.oldest = Math.max(this.oldest, between(at, now)) as Duration;
  }

  sent({ why, outgoing: { target }, isOrdered }: Resend): void {
    this.#of(why, target).published += 1;
    this.published += 1;
    if (isOrdered) this.orderBroken += 1;
  }

  /** By reason and target. */
  get all(): readonly Found[] {
    return [...this.#found.values()];
  }

  #of(why: Why, target: string) {
    const key = `${why} ${target}`;
    const known = this.#found.get(key) ?? { why, target, found: 0, published: 0 };
    this.#found.set(key, known);
    return known;
  }
}
