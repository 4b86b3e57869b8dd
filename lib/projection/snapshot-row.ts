import type { Instant } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Condition, Key, Row, Write } from '../ports/store.ts';
import type { Head } from './head.ts';

/** Which state of which job a row shows. */
export interface Shown extends Head {
  readonly version: number;
}

/** What a row says beside the fields of its user. */
const own = { job: '_job', incarnation: '_incarnation', version: '_version', removed: '_removed' };

/** The fields that a snapshot keeps for itself. */
export const reserved: readonly string[] = Object.values(own);

/** Where a row is, and what it shows from now on; without fields the job is removed, and a tombstone keeps its place. */
export interface Content {
  readonly table: string;
  readonly key: Key;
  readonly fields: Row | undefined;
}

/** The guarded put of a whole row: it never shows an older state of its job than before, nor another job. */
export const snapshotRow = ({ table, key, fields }: Content, shown: Shown, at: Instant): Write => ({
  table,
  key,
  // guard: newer
  when: [{ kind: 'any', why: 'newer', of: olderThan(shown) }],
  kind: 'put',
  fields: {
    ...(fields ?? tombstone(at)),
    [own.job]: shown.job,
    [own.incarnation]: shown.incarnation,
    [own.version]: shown.version,
  },
});

/** Kept as long as messages, dead letters and the ledger can bring an older event. */
const tombstone = (at: Instant): Row => ({
  [own.removed]: true,
  ttl: timeToLive(at, lengths.inboxMemory),
});

function olderThan({ job, incarnation, version }: Shown): readonly (readonly Condition[])[] {
  const sameJob: Condition = { kind: 'equals', field: own.job, value: job, why: 'job' };
  const same: Condition = {
    kind: 'equals',
    field: own.incarnation,
    value: incarnation,
    why: 'incarnation',
  };
  return [
    [{ kind: 'absent', why: 'new' }],
    [sameJob, { kind: 'less', field: own.incarnation, value: incarnation, why: 'incarnation' }],
    [sameJob, same, { kind: 'less', field: own.version, value: version, why: 'version' }],
  ];
}

/** Why a row refused a state: it shows this one, or a newer one, or it isn't this job's; `by` is whose, where it says so. */
export type NotShown =
  | { readonly kind: 'repeated' | 'stale' }
  | { readonly kind: 'shared'; readonly by: string | undefined };

/** Reads a refusal from the row that was in the way. */
export function notShown(old: Row, shown: Shown): NotShown {
  const by = old[own.job];
  if (by !== shown.job) return { kind: 'shared', by: typeof by === 'string' ? by : undefined };
  const isThis = old[own.incarnation] === shown.incarnation && old[own.version] === shown.version;
  return { kind: isThis ? 'repeated' : 'stale' };
}
