import { eventEntry, inboxEntry } from '../inbox/entry.ts';
import type { Duration } from '../kernel/brand.ts';
import { lengths } from '../kernel/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Write } from '../ports/store.ts';
import { checkConsumer } from './care.ts';
import type { JobEvent } from './job-event.ts';
import { realClock } from './real-clock.ts';

/**
 * The guarded put that makes a transaction of your own happen once per consumer and event, with the key that
 * `eventHandler` uses; a transaction that it refuses is a repeat, which is success.
 *
 * @throws Failure `setting-invalid` for a consumer's name that isn't one
 * @example
 * const writes = [once('mail', event, { table: 'mail' }), { kind: 'delete', table: 'mail', key: { pk: 'draft', sk: 'row' }, when: [] }] as const;
 * const commit = await world.store.commit(writes);
 */
export function once(
  consumer: string,
  event: Pick<JobEvent, 'id' | 'replayAs'>,
  settings: {
    /** Keys `pk` and `sk`, time to live in `ttl`. */
    readonly table: string;
    /** @default 36 days: queue, dead-letter and ledger retention together */
    readonly keep?: Duration;
    /** @default the machine's */
    readonly clock?: Pick<Clock, 'now'>;
  },
): Write {
  const { table, keep = lengths.inboxMemory, clock = realClock } = settings;
  checkConsumer(consumer, 'consumer');
  return inboxEntry({ consumer, table, id: eventEntry(event, consumer) }, clock.now(), keep);
}
