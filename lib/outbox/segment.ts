import type { Instant } from '../kernel/brand.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Condition, Key, Row, Write } from '../ports/store.ts';
import type { Pass } from './pass.ts';

/** A part of a pass: a share of the rows by number, or what was set aside. */
export type Part = number | 'aside';

/** All parts of a pass; what was set aside comes first, since it has waited longest. */
export const partsOf = ({ segments }: Pass): readonly Part[] => [
  'aside',
  ...Array.from({ length: segments }, (_, n) => n),
];

/** Where a pass's parts are kept. */
export const segmentsPk = ({ id }: Pass): string => `reconcile#${id}`;

/** Where one of them is. */
export const segmentKey = (pass: Pass, part: Part): Key => ({
  pk: segmentsPk(pass),
  sk: `segment#${part}`,
});

/** One invocation's hold on a part, and how far that has come. */
export interface Segment {
  readonly key: Key;
  /** ULID, chosen before the write, so that a lost reply is recognised. */
  readonly nonce: string;
  /** The last row that was dealt with. */
  readonly after?: Key;
  /** When the oldest event was committed that no target took. */
  readonly heldFrom?: Instant;
}

// guard: segment-nonce
const nonceIs = (nonce: string): Condition => ({
  kind: 'equals',
  field: 'nonce',
  value: nonce,
  why: 'segment-nonce',
});

// guard: segment-free
const isFree = (now: Instant): Condition => ({
  kind: 'any',
  why: 'segment-free',
  of: [
    [{ kind: 'absent', why: 'segment-new' }],
    [
      { kind: 'less', field: 'leaseUntil', value: now - lengths.skew, why: 'segment-lease' },
      { kind: 'absent', field: 'done', why: 'segment-done' },
    ],
  ],
});

/** Takes a part that nobody has taken, or whose holder's lease is over by more than two clocks can differ. */
export const taken = (
  { key, nonce }: Segment,
  { now, leaseUntil }: { readonly now: Instant; readonly leaseUntil: Instant },
): Write => ({
  table: tables.ledger,
  key,
  when: [isFree(now)],
  kind: 'update',
  set: { nonce, leaseUntil, ttl: timeToLive(now, lengths.ledgerMemory) },
});

/** A part as its row says it, under one's own hold. */
export function segmentIn(row: Row | undefined, { key, nonce }: Segment): Segment {
  const after = row?.['after'] as Key | undefined;
  const heldFrom = row?.['heldFrom'] as Instant | undefined;
  return {
    key,
    nonce,
    ...(after === undefined ? {} : { after }),
    ...(heldFrom === undefined ? {} : { heldFrom }),
  };
}

/** What becomes of one's own part: held on to, let go for the next invocation, or done for good. */
export type Hold = 'held' | 'let-go' | 'done';

/** Keeps how far a part has come; refused once somebody else has taken it. */
export const kept = (
  { key, nonce, after, heldFrom }: Segment,
  hold: Hold,
  leaseUntil: Instant,
): Write => ({
  table: tables.ledger,
  key,
  when: [nonceIs(nonce)],
  kind: 'update',
  set: {
    ...(after === undefined ? {} : { after: { ...after } }),
    ...(heldFrom === undefined ? {} : { heldFrom }),
    leaseUntil: hold === 'held' ? leaseUntil : 0,
    ...(hold === 'done' ? { done: true } : {}),
  },
});

/** What a pass's parts come to: how many aren't done, and the oldest event that no target took. */
export function standing(pass: Pass, rows: readonly Row[]): Standing {
  const done = rows.filter((row) => row['done'] === true);
  const held = done.map((row) => Number(row['heldFrom'])).filter((at) => !Number.isNaN(at));
  return {
    left: partsOf(pass).length - done.length,
    heldFrom: held.length === 0 ? undefined : (Math.min(...held) as Instant),
  };
}

/** How far a pass is. */
export interface Standing {
  readonly left: number;
  readonly heldFrom: Instant | undefined;
}
