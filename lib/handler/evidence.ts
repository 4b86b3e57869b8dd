import { asidePks, type SetAside, setAsideOf } from '../kernel/aside-key.ts';
import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import { minuteOf, proofOf, proofsIn, proofsPk } from '../outbox/proof.ts';
import { before } from '../outbox/window.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

/**
 * What the ledger says of events, read no further back than somebody asks, and always until now, since a proof may be
 * written long after its event. Holds some 150 bytes per published event in memory.
 */
export class Evidence {
  readonly #store: Pick<Store, 'query'>;
  readonly #clock: Clock;
  readonly #proved = new Set<string>();
  readonly #aside = new Set<string>();
  /** The minutes that have been read: from this one on … */
  #from: number;
  /** … and before this one. */
  #to: number;

  constructor(store: Pick<Store, 'query'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#to = this.#end();
    this.#from = this.#to;
  }

  isProved = (target: string, eventId: string): boolean =>
    this.#proved.has(proofOf(target, eventId));

  isAside = (target: string, eventId: string): boolean => this.#aside.has(proofOf(target, eventId));

  /** How many events are set aside. */
  get aside(): number {
    return this.#aside.size;
  }

  /** Notes what this invocation has set aside itself … */
  setAside({ target, eventId }: SetAside): void {
    this.#aside.add(proofOf(target, eventId));
  }

  /** … and what was accepted of it. */
  accept({ target, eventId }: SetAside): void {
    this.#aside.delete(proofOf(target, eventId));
  }

  /** Reads the ledger from an hour before `at`, unless that is done. */
  async reach(at: Instant): Promise<void> {
    const first = minuteOf(before(at, 'overlap'));
    if (first >= this.#from) return;
    await this.#read(first, this.#from);
    this.#from = first;
  }

  /** Reads what others have written since: before a part is taken over whose holder may have published some of it. */
  async refresh(): Promise<void> {
    const end = this.#end();
    if (this.#from < this.#to) await this.#read(this.#to - again, end);
    else this.#from = end;
    this.#to = end;
    this.#aside.clear();
    for (const pk of asidePks)
      for await (const row of this.#store.query(tables.ledger, { pk })) {
        const { target, eventId } = setAsideOf(String(row['sk']));
        this.#aside.add(proofOf(target, eventId));
      }
  }

  async #read(first: number, end: number): Promise<void> {
    for (let minute = first; minute < end; minute++)
      for await (const row of this.#store.query(tables.ledger, { pk: proofsPk(minute) }))
        for (const proof of proofsIn(row)) this.#proved.add(proof);
  }

  /** Behind the minute that the fastest clock may be in. */
  #end(): number {
    return minuteOf(this.#clock.now()) + 2;
  }
}

/** The minutes that are read once more, since they may not have been over. */
const again = 4;
