import { asidePks, setAsideOf } from '../kernel/aside-key.ts';
import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import { milliseconds } from '../kernel/time.ts';
import type { Row } from '../ports/store.ts';
import { inWords, withAge } from './age.ts';
import type { Command } from './command.ts';
import { type Desk, deskAt, deskFlags, deskUsage } from './desk.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

/** How far behind the relay is, and what it had to set aside. */
export const outboxBacklog: Command = {
  name: 'outbox backlog',
  summary: 'how far behind the relay is, and the events that it set aside',
  usage: deskUsage,
  async run(shell) {
    const { values } = parsed(shell, deskFlags);
    const desk = await deskAt(shell, values);
    const backlog = { heartbeat: await heartbeatOf(desk), aside: await asideOf(desk) };
    const now = desk.world.clock.now();
    desk.print(desk.json ? JSON.stringify(backlog) : backlogLines(backlog, now).join('\n'));
    return 'done';
  },
};

/** What the ledger says of the outbox. */
export interface Backlog {
  /** Undefined where the relay never ran. */
  readonly heartbeat: Heartbeat | undefined;
  /** Oldest first. */
  readonly aside: readonly Aside[];
}

interface Heartbeat {
  readonly at: Instant;
  /** How old the oldest record was that the relay saw then, in milliseconds. */
  readonly oldestAge: number;
}

interface Aside {
  readonly eventId: string;
  readonly target: string;
  readonly at: Instant;
  readonly code: string;
  readonly why: string;
}

async function heartbeatOf({ world }: Desk): Promise<Heartbeat | undefined> {
  const row = await world.store.read(tables.ledger, { pk: 'heartbeat', sk: 'relay' });
  if (row === undefined) return undefined;
  return { at: Number(row['at']) as Instant, oldestAge: Number(row['oldestAge']) };
}

async function asideOf({ world }: Desk): Promise<readonly Aside[]> {
  const all: Aside[] = [];
  for (const pk of asidePks)
    for await (const row of world.store.query(tables.ledger, { pk })) all.push(asideIn(row));
  return all.toSorted((a, b) => a.at - b.at);
}

const asideIn = (row: Row): Aside => ({
  ...setAsideOf(String(row['sk'])),
  at: Number(row['at']) as Instant,
  code: String(row['code']),
  why: String(row['why']),
});

/** The backlog for people. */
export const backlogLines = ({ heartbeat, aside }: Backlog, now: Instant): readonly string[] => [
  heartbeat === undefined
    ? 'the relay has left no heartbeat: it never ran here'
    : `the relay last ran at ${withAge(heartbeat.at, now)}; its oldest record was ${inWords(milliseconds(heartbeat.oldestAge))} old`,
  ...(aside.length === 0
    ? ['nothing is set aside']
    : table(
        ['set aside', 'event', 'target', 'reason'],
        aside.map(({ at, eventId, target, code, why }) => [
          withAge(at, now),
          eventId,
          target,
          `${code}: ${why}`,
        ]),
      )),
];
