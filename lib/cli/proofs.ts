import { asideKey, setAsideOf } from '../kernel/aside-key.ts';
import type { Instant } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import { lengths, tables } from '../kernel/settings.ts';
import { between } from '../kernel/time.ts';
import type { Row } from '../ports/store.ts';
import type { World } from '../ports/world.ts';

/** What the ledger says of an event. */
export type Proof =
  | { readonly kind: 'published' | 'set-aside'; readonly target: string }
  /** Nothing in the minutes that were looked at. */
  | { readonly kind: 'no-proof' }
  /** Committed before what the ledger still remembers. */
  | { readonly kind: 'forgotten' };

/** The relay is seldom later than this; behind an outage it is, and then nothing is found. */
const minutesLooked = 5;

/** Looks each event up where the relay notes what it published soon after it was committed. */
export async function proofsOf(
  { store, clock }: World,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, Proof>> {
  const now = clock.now();
  const fresh = events.filter(({ at }) => between(at, now) < lengths.ledgerMemory);
  const proved = new Map<string, Proof>();
  for (const minute of minutesOf(fresh, now))
    for await (const row of store.query(tables.ledger, { pk: `relay#${minute}` }))
      for (const [target, id] of published(row)) proved.set(id, { kind: 'published', target });
  for (const { id } of events)
    for await (const target of asideFor(store, id)) proved.set(id, { kind: 'set-aside', target });
  return new Map(
    events.map((event) => {
      const kind = fresh.includes(event) ? 'no-proof' : 'forgotten';
      return [event.id, proved.get(event.id) ?? { kind }];
    }),
  );
}

/** The targets that an event was set aside for. */
async function* asideFor(store: World['store'], eventId: string): AsyncGenerator<string> {
  const { pk, sk: from } = asideKey({ eventId, target: '' });
  for await (const row of store.query(tables.ledger, { pk, from })) {
    const kept = setAsideOf(String(row['sk']));
    if (kept.eventId !== eventId) return;
    yield kept.target;
  }
}

function minutesOf(events: readonly StoredEvent[], now: Instant): ReadonlySet<number> {
  const last = Math.floor(now / 60_000);
  const all = events.flatMap(({ at }) =>
    Array.from({ length: minutesLooked }, (_, i) => Math.floor(at / 60_000) + i),
  );
  return new Set(all.filter((minute) => minute <= last));
}

const published = (row: Row): readonly (readonly [string, string])[] =>
  Object.entries((row['published'] ?? {}) as Readonly<Record<string, readonly string[]>>).flatMap(
    ([target, ids]) => ids.map((id) => [target, id] as const),
  );
