import type { Instant } from '../kernel/brand.ts';
import type { Row } from '../ports/store.ts';

/** The minute that a moment falls in, by which the ledger is cut. */
export const minuteOf = (at: Instant): number => Math.floor(at / 60_000);

/** The partition of such a minute. */
export const proofsPk = (minute: number): string => `relay#${minute}`;

/** One name for an event at a target: an event is proved for each target alone. */
export const proofOf = (target: string, eventId: string): string => `${target} ${eventId}`;

/** What a row of the ledger proves. */
export function proofsIn(row: Row): readonly string[] {
  const published = (row['published'] ?? {}) as Readonly<Record<string, readonly string[]>>;
  return Object.entries(published).flatMap(([target, ids]) => ids.map((id) => proofOf(target, id)));
}
