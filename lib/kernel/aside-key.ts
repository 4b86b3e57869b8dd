import { asidePartitions } from './settings.ts';
import { sha256 } from './sha256.ts';

/** One event that a target would not take. */
export interface SetAside {
  readonly eventId: string;
  readonly target: string;
}

/** Where the ledger keeps an event that was set aside: in one of a few partitions, so that all are found without a scan. */
export const asideKey = ({
  eventId,
  target,
}: SetAside): { readonly pk: string; readonly sk: string } => ({
  pk: `aside#${Number.parseInt(sha256(eventId).slice(0, 8), 16) % asidePartitions}`,
  sk: `${eventId}#${target}`,
});

/** The event and the target of such a row's sort key; an event's id has no `#`. */
export function setAsideOf(sk: string): SetAside {
  const at = sk.indexOf('#');
  return { eventId: sk.slice(0, at), target: sk.slice(at + 1) };
}

/** The partitions that hold what was set aside. */
export const asidePks: readonly string[] = Array.from(
  { length: asidePartitions },
  (_, i) => `aside#${i}`,
);
