import { asideKey } from '../kernel/aside-key.ts';
import type { Instant } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import type { Failure } from '../kernel/failure.ts';
import { heartbeatKey, lengths, sizes, tables } from '../kernel/settings.ts';
import { timeToLive } from '../kernel/time.ts';
import type { Condition, Write } from '../ports/store.ts';
import type { Outgoing } from './rounds.ts';

/** One run of the relay. */
export interface Run {
  readonly requestId: string;
  readonly now: Instant;
}

/** The proof of what a run published, by target, cut so that each item stays below DynamoDB's limit. */
export function proofs({ requestId, now }: Run, sent: readonly Outgoing[]): readonly Write[] {
  return portions(sent).map((portion, n) => ({
    table: tables.ledger,
    key: { pk: `relay#${Math.floor(now / 60_000)}`, sk: `${requestId}#${n}` },
    when: [],
    kind: 'put',
    fields: {
      at: now,
      published: byTarget(portion),
      ttl: timeToLive(now, lengths.ledgerMemory),
    },
  }));
}

/** When the relay last ran, and how old the oldest record was that it saw. */
export const heartbeat = (now: Instant, oldest: Instant): Write => ({
  table: tables.ledger,
  key: heartbeatKey,
  when: [],
  kind: 'put',
  fields: { at: now, oldestAge: Math.max(0, now - oldest) },
});

// guard: aside-absent
const isNotYetAside: Condition = { kind: 'absent', why: 'aside-absent' };

/**
 * Keeps an event that a target will not take as it is, with its body and the reason; it counts as unproved. Refused where
 * it is kept already: since when it waits must not be forgotten.
 */
export const aside = (outgoing: Outgoing, failure: Failure, now: Instant): Write => ({
  table: tables.ledger,
  key: asideKey(outgoing),
  when: [isNotYetAside],
  kind: 'put',
  fields: {
    at: now,
    group: outgoing.entry.group,
    body: outgoing.entry.body,
    code: failure.code,
    why: failure.message,
  },
});

function byTarget(sent: readonly Outgoing[]): Record<string, readonly string[]> {
  const published: Record<string, string[]> = {};
  for (const { target, eventId } of sent) {
    const ids = published[target] ?? [];
    ids.push(eventId);
    published[target] = ids;
  }
  return published;
}

function portions(sent: readonly Outgoing[]): readonly (readonly Outgoing[])[] {
  const all: Outgoing[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const outgoing of sent) {
    const bytes = bytesOf(outgoing.eventId) + bytesOf(outgoing.target) + 8;
    if (size + bytes > sizes.ledgerItem) {
      all.push([]);
      size = 0;
    }
    all.at(-1)?.push(outgoing);
    size += bytes;
  }
  return all;
}
