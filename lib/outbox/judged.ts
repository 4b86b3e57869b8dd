import type { Instant } from '../kernel/brand.ts';
import type { Subject } from '../kernel/envelope.ts';
import type { StoredEvent } from '../kernel/event.ts';
import type { Row } from '../ports/store.ts';
import { targetOf } from './outgoing.ts';
import type { Window } from './window.ts';

/** A job's row, as its events are announced from it. */
export type OutboxRow = Subject & Row & { readonly events: readonly StoredEvent[] };

/** What is known beside the row. */
export interface Grounds {
  readonly window: Window;
  /** Older events can't be proved, whether they were published or not. */
  readonly provableFrom: Instant;
  /** Whether such events are published nevertheless. */
  readonly unproved: boolean;
  /** Whether events before the window are judged too, where one in it is missing; below a watermark they have been. */
  readonly looksBack: boolean;
  isProved(target: string, eventId: string): boolean;
  /** Set aside events go their own way. */
  isAside(target: string, eventId: string): boolean;
}

/** What a row's events come to. */
export interface Judged {
  /** To be published, in the job's order. */
  readonly missing: readonly StoredEvent[];
  /** In the window, and older than any proof. */
  readonly unprovable: number;
}

/** Finds a row's events that nothing proves; only what the window, the proofs and the caller's word allow. */
export function judged(row: OutboxRow, grounds: Grounds): Judged {
  const { window, provableFrom, unproved } = grounds;
  const isMissing = ({ id, channel }: StoredEvent): boolean => {
    const target = targetOf({ channel }, row.kind);
    return !grounds.isProved(target, id) && !grounds.isAside(target, id);
  };
  const inWindow = row.events.filter((event) => isIn(window, event) && isMissing(event));
  // guard: provable
  const sendable = inWindow.filter(({ at }) => unproved || at >= provableFrom);
  const first = sendable[0]?.n ?? 0;
  const earlier = grounds.looksBack
    ? row.events.filter(
        (event) =>
          event.n < first &&
          event.at < window.since &&
          event.at >= provableFrom &&
          isMissing(event),
      )
    : [];
  return {
    missing: [...earlier, ...sendable].sort((a, b) => a.n - b.n),
    unprovable: inWindow.length - sendable.length,
  };
}

const isIn = ({ since, until }: Window, { at }: StoredEvent): boolean => at >= since && at < until;

/** From when on the ledger must have been read to judge this row; undefined where nothing of it is judged. */
export function oldestJudged(row: OutboxRow, grounds: Grounds): Instant | undefined {
  const { window, provableFrom, looksBack } = grounds;
  const inWindow = row.events.filter((event) => isIn(window, event));
  if (inWindow.length === 0) return undefined;
  const read = looksBack ? row.events.filter(({ at }) => at < window.until) : inWindow;
  return Math.max(provableFrom, Math.min(...read.map(({ at }) => at))) as Instant;
}
