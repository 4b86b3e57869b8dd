import type { Instant } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import { tables } from '../kernel/settings.ts';
import { isIdle, isRepeatDue, newestCommand, repeated, repeatKey } from '../outbox/idle.ts';
import { type Grounds, judged, type OutboxRow, oldestJudged } from '../outbox/judged.ts';
import { outgoing, targetOf } from '../outbox/outgoing.ts';
import { passKey } from '../outbox/pass.ts';
import { provableFrom } from '../outbox/window.ts';
import type { Write } from '../ports/store.ts';
import type { Reconciling } from './reconciling.ts';
import type { Resend } from './resend.ts';

/** What is to be sent of one job: its events that nothing proves, in order, or else its command if nobody works on it. */
export async function reconcileRow(work: Reconciling, row: OutboxRow): Promise<readonly Resend[]> {
  const grounds = groundsOf(work);
  const oldest = oldestJudged(row, grounds);
  if (oldest !== undefined) await work.evidence.reach(oldest);
  const { missing, unprovable } = judged(row, grounds);
  work.tally.unprovable += unprovable;
  const unproved = missing.map((event) => ({
    why: 'unproved' as const,
    outgoing: outgoing(event, row, { position: event.id, shape: work.shape }),
    at: event.at,
    isOrdered: event.channel === 'commands' && isOrdered(row),
    afterwards: rememberedAs(event, row, work.clock.now()),
  }));
  const idle = await idleCommand(work, row, new Set(missing.map(({ id }) => id)));
  return [...unproved, ...idle];
}

/** A command that comes late waits behind a backlog: the next run must not take its job for one that needs another. */
export const rememberedAs = (
  { channel }: StoredEvent,
  row: OutboxRow,
  now: Instant,
): readonly Write[] => (channel === 'commands' ? [repeated(row, undefined, now)] : []);

const isOrdered = (row: OutboxRow): boolean => row['order'] === 'submission';

const groundsOf = ({ pass, asked, evidence, clock }: Reconciling): Grounds => ({
  window: pass,
  provableFrom: provableFrom(clock.now()),
  unproved: asked.unproved,
  looksBack: pass.key.sk !== passKey(undefined).sk,
  isProved: evidence.isProved,
  isAside: evidence.isAside,
});

async function idleCommand(
  work: Reconciling,
  row: OutboxRow,
  missing: ReadonlySet<string>,
): Promise<readonly Resend[]> {
  const { store, clock, tally, evidence, random, shape } = work;
  const now = clock.now();
  if (!isIdle(row, now)) return [];
  tally.idle += 1;
  const command = newestCommand(row);
  if (command === undefined) {
    tally.unreadable += 1;
    return [];
  }
  // A command that is missing, or that its queue refused, is no repeat.
  if (missing.has(command.id) || evidence.isAside(targetOf(command, row.kind), command.id))
    return [];
  const note = await store.read(tables.ledger, repeatKey(row.id));
  if (!isRepeatDue(row, note, now)) return [];
  const repeat = random.ulid();
  return [
    {
      why: 'idle',
      outgoing: outgoing(command, row, { position: command.id, shape, repeat }),
      at: command.at,
      isOrdered: isOrdered(row),
      afterwards: [repeated(row, note, now)],
    },
  ];
}
