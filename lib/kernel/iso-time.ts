import type { Instant } from './brand.ts';

/** A point in time as RFC 3339 writes it, in UTC. */
export const isoTime = (instant: Instant): string => new Date(instant).toISOString();

/** The point in time that an RFC 3339 text names; undefined where it names none. */
export function instantOf(text: string): Instant | undefined {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : (instant as Instant);
}
