import type { Subject } from '../kernel/envelope.ts';
import type { StoredEvent } from '../kernel/event.ts';
import type { Json } from '../kernel/json.ts';
import { schemaNumber, tables, targets } from '../kernel/settings.ts';
import type { Key, Write } from '../ports/store.ts';

/** Where the head of a group lives: one small row for each group of a kind whose jobs run in the order of their submission. */
export const headKey = (kind: string, groupId: string): Key => ({
  pk: `head#${targets.commands(kind)}#${groupId}`,
  sk: 'head',
});

/**
 * Counts a submission into its group and shows its command, in the transaction that makes the job exist.
 *
 * All submissions of a group thus change one row, whose changes the stream delivers in the order of their commits; there
 * is no guard that a neighbour's submission could make fail.
 */
export function headWrite(subject: Subject, command: StoredEvent): Write {
  const { id, kind, incarnation, groupId, intentId } = subject;
  return {
    table: tables.jobs,
    key: headKey(kind, groupId),
    when: [],
    kind: 'update',
    add: { order: 1 },
    set: {
      schema: schemaNumber,
      // The relay's doorbell: only submissions write this row.
      news: 1,
      command: { id, kind, incarnation, groupId, intentId, event: { ...command } as Json },
    },
  };
}
