import { tables } from '../kernel/settings.ts';
import type { Write } from '../ports/store.ts';

/** Where on its path a worker, relay, sweeper or reconcile is; `commit` is every commit, whatever else it is. */
export type Point =
  | 'claim'
  | 'handle'
  | 'write'
  | 'commit'
  | 'complete'
  | 'release'
  | 'publish'
  | 'ledger'
  | 'sweep'
  | 'reconcile';

/** All of them. */
export const points: readonly Point[] = [
  'claim',
  'handle',
  'write',
  'commit',
  'complete',
  'release',
  'publish',
  'ledger',
  'sweep',
  'reconcile',
];

/** The points at which a commit is, read from its first write. */
export function pointsOf(writes: readonly Write[]): readonly Point[] {
  const [first] = writes;
  if (first?.table === tables.ledger)
    return [first.key.pk.startsWith('reconcile') ? 'reconcile' : 'ledger', 'commit'];
  if (first?.table !== tables.jobs || first.kind !== 'update') return ['commit'];
  switch (first.set?.['status']) {
    case 'running':
      return ['claim', 'commit'];
    case 'queued':
      return ['release', 'commit'];
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return ['complete', 'commit'];
    default:
      return ['commit'];
  }
}

/** The points at which the creation of an object is: a candidate's, or none. */
export const pointsOfKey = (key: string): readonly Point[] =>
  key.startsWith('results/') ? ['write'] : [];
