import type { Instant } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { instantOf } from '../kernel/iso-time.ts';

/** What a call of reconcile asks for; a schedule asks for nothing. */
export interface Asked {
  /** The first moment of a window of one's own. */
  readonly since: Instant | undefined;
  /** The first moment behind it. */
  readonly until: Instant | undefined;
  readonly dryRun: boolean;
  /** Whether what no ledger can prove any more is sent too. */
  readonly unproved: boolean;
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads a call's event. @throws Failure `window-invalid` for times and switches that can't be, with the value */
export function askedOf(event: unknown): Asked {
  const given = typeof event === 'object' && event !== null ? { ...event } : {};
  const fields = given as Readonly<Record<string, unknown>>;
  const since = timeIn(fields, 'since');
  const until = timeIn(fields, 'until');
  if (since !== undefined && until !== undefined && since >= until)
    throw invalid(
      `"since" must lie before "until", got ${JSON.stringify([fields['since'], fields['until']])}`,
    );
  return { since, until, dryRun: isOn(fields, 'dryRun'), unproved: isOn(fields, 'unproved') };
}

function timeIn(fields: Readonly<Record<string, unknown>>, name: string): Instant | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const instant = typeof value === 'string' && time.test(value) ? instantOf(value) : undefined;
  if (instant !== undefined) return instant;
  throw invalid(
    `"${name}" is a time with its zone such as "2026-12-01T13:00:00Z", got ${JSON.stringify(value)}`,
  );
}

function isOn(fields: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw invalid(`"${name}" is true or false, got ${JSON.stringify(value)}`);
}

const invalid = (sentence: string) => permanent('window-invalid', sentence);
