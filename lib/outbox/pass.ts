import type { Instant } from '../kernel/brand.ts';
import { lengths, tables, watermarkKey } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Condition, Key, Row, Write } from '../ports/store.ts';
import type { Window } from './window.ts';

/** One pass of reconcile over a window, shared by all invocations that meet it. */
export interface Pass extends Window {
  /** ULID, chosen before the write that begins it. */
  readonly id: string;
  readonly key: Key;
  readonly segments: number;
  /** Whether it reads every row, or only those that the time index names. */
  readonly by: 'scan' | 'index';
}

/** Where a pass is kept: the watermark's own row, or one for a window that a caller named. */
export const passKey = (named: string | undefined): Key =>
  named === undefined ? watermarkKey : { pk: watermarkKey.pk, sk: `window#${named}` };

/** How far reconcile came. */
export interface Reached {
  readonly at: Instant | undefined;
  /** How far it came reading every row. */
  readonly fullAt: Instant | undefined;
}

/** Reads the watermark. */
export const reachedIn = (row: Row | undefined): Reached => ({
  at: row?.['at'] as Instant | undefined,
  fullAt: row?.['fullAt'] as Instant | undefined,
});

/** The pass that a row says is under way. */
export function passIn(row: Row | undefined): Pass | undefined {
  if (row?.['pass'] === undefined) return undefined;
  return {
    id: String(row['pass']),
    key: { pk: String(row['pk']), sk: String(row['sk']) },
    since: Number(row['since']) as Instant,
    until: Number(row['until']) as Instant,
    segments: Number(row['segments']),
    by: row['by'] === 'index' ? 'index' : 'scan',
  };
}

// guard: pass-absent
const noPass: Condition = { kind: 'absent', field: 'pass', why: 'pass-absent' };

// guard: watermark
const reachedIs = (at: Instant | undefined): Condition =>
  at === undefined
    ? { kind: 'absent', field: 'at', why: 'watermark' }
    : { kind: 'equals', field: 'at', value: at, why: 'watermark' };

// guard: pass
const passIs = (id: string): Condition => ({
  kind: 'equals',
  field: 'pass',
  value: id,
  why: 'pass',
});

/** Begins a pass, unless one is under way or another one has moved the watermark since it was read. */
export const begun = (pass: Pass, reached: Reached): Write => ({
  table: tables.ledger,
  key: pass.key,
  when: [noPass, reachedIs(reached.at)],
  kind: 'update',
  set: {
    pass: pass.id,
    since: pass.since,
    until: pass.until,
    segments: pass.segments,
    by: pass.by,
    ...(isNamed(pass) ? { ttl: timeToLive(pass.until, lengths.ledgerMemory) } : {}),
  },
});

const isNamed = ({ key }: Pass): boolean => key.sk !== watermarkKey.sk;

/**
 * Ends a pass. The watermark goes to its end, or to the oldest event that no target took, so that the next pass tries it
 * again; never back. A window that a caller named moves nothing.
 */
export function ended(pass: Pass, reached: Reached, heldFrom: Instant | undefined): Write {
  const base = { table: tables.ledger, key: pass.key, when: [passIs(pass.id)] } as const;
  if (isNamed(pass)) return { ...base, kind: 'delete' };
  const came = Math.min(pass.until, heldFrom ?? pass.until);
  const at = Math.max(came, reached.at ?? 0);
  return {
    ...base,
    kind: 'update',
    set: { at, ...(pass.by === 'scan' ? { fullAt: Math.max(came, reached.fullAt ?? 0) } : {}) },
    remove: ['pass', 'since', 'until', 'segments', 'by'],
  };
}
