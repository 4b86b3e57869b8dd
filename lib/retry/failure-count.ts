import type { Instant } from '../kernel/brand.ts';
import type { Failure } from '../kernel/failure.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Key, Row, Write } from '../ports/store.ts';

/** Where the counted failures of a plain message are. */
export const failuresKey = (queue: string, messageId: string): Key => ({
  pk: `failures#${queue}#${messageId}`,
  sk: 'failures',
});

/** How often a message has failed, by its row. */
export const failuresIn = (row: Row | undefined): number => Number(row?.['count'] ?? 0);

/** Counts one more failure, once: a repeat of this write, and whoever counts beside it, is refused. */
export function countedFailure(
  key: Key,
  seen: number,
  told: { readonly failure: Failure; readonly at: Instant },
): Write {
  const { failure, at } = told;
  return {
    table: tables.care,
    key,
    // guard: failures
    when: [
      seen === 0
        ? { kind: 'absent', why: 'failures' }
        : { kind: 'equals', field: 'count', value: seen, why: 'failures' },
    ],
    kind: 'put',
    fields: {
      count: seen + 1,
      code: failure.code,
      at,
      ttl: timeToLive(at, lengths.inboxMemory),
    },
  };
}
