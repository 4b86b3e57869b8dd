import { queueCalled } from '../aws/named-queue.ts';
import { queueNameIn } from '../handler/place-of.ts';
import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import { groupKey, parkedOf } from '../retry/parked-group.ts';
import { withAge } from './age.ts';
import type { Command } from './command.ts';
import { countOf } from './count-of.ts';
import { type Desk, deskAt, deskFlags, deskUsage } from './desk.ts';
import { type ParkedGroup, parkedGroupOf } from './groups-list.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

/** A message of a group that was parked, or dropped from it. */
export interface Kept {
  readonly state: 'parked' | 'dropped';
  readonly sequenceNumber: string;
  readonly messageId: string;
  readonly attempt: number;
  readonly at: Instant;
  /** Why it was dropped. */
  readonly because?: string;
}

/** How a group is named on the command line. */
export const groupWords = { least: 2, most: 2, are: 'a QUEUE and a GROUP' } as const;
export const groupUsage =
  "  QUEUE GROUP     the queue's name, such as orders.fifo, and the message group's id";

const flags = { ...deskFlags, limit: { type: 'string', default: '100' } } as const;

/** One group with what lies parked in it, in order; never a body, which may hold a person's data. */
export const groupsShow: Command = {
  name: 'groups show',
  summary: 'a group, and what lies parked in it, in order',
  usage: `${groupUsage}
  --limit N       messages to show (default: 100)
${deskUsage}`,
  async run(shell) {
    const { values, positionals } = parsed(shell, flags, groupWords);
    const limit = countOf('--limit', values.limit);
    const desk = await deskAt(shell, values);
    const { queue, group } = await placeAt(desk, positionals);
    const parked = await groupAt(desk, { queue, group });
    const kept = await keptIn(desk, { queue, group, limit });
    if (desk.json) desk.print(JSON.stringify({ queue, group, parked: parked ?? null, kept }));
    else desk.print(groupSheet(parked, kept, desk.world.clock.now()).join('\n'));
    return 'done';
  },
};

/** A group's place, as its rows name it, and the queue's ARN. */
export async function placeAt(
  { env }: Desk,
  [named = '', group = '']: readonly string[],
): Promise<{ readonly queue: string; readonly group: string; readonly arn: string }> {
  const { arn } = await queueCalled(named, env);
  return { queue: queueNameIn(arn), group, arn };
}

/** The group, if it is parked now. */
export async function groupAt(
  { world }: Desk,
  place: { readonly queue: string; readonly group: string },
): Promise<ParkedGroup | undefined> {
  const row = await world.store.read(tables.care, groupKey(place));
  return row === undefined ? undefined : parkedGroupOf({ sk: 'state', ...row });
}

async function keptIn(
  { world }: Desk,
  of: { readonly queue: string; readonly group: string; readonly limit: number },
): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  for await (const row of world.store.query(tables.care, { pk: groupKey(of).pk, most: of.limit })) {
    const parked = parkedOf(row);
    const { because } = row;
    if (parked !== undefined) kept.push(keptOf('parked', parked));
    else if (typeof because === 'string')
      kept.push({ ...keptOf('dropped', row as unknown as Kept), because });
  }
  return kept;
}

const keptOf = (state: Kept['state'], row: Omit<Kept, 'state'>): Kept => ({
  state,
  sequenceNumber: row.sequenceNumber,
  messageId: row.messageId,
  attempt: row.attempt,
  at: row.at,
});

/** A group for people. */
export function groupSheet(
  parked: ParkedGroup | undefined,
  kept: readonly Kept[],
  now: Instant,
): readonly string[] {
  const head =
    parked === undefined
      ? ['open: its messages are handled as they come']
      : [
          `parked with ${parked.parked} messages, ${withAge(parked.since, now)}`,
          `${parked.code}: ${parked.why}`,
        ];
  if (kept.length === 0) return head;
  return [
    ...head,
    '',
    ...table(
      ['message', 'sequence number', 'state', 'tried', 'since', 'because'],
      kept.map((one) => [
        one.messageId,
        one.sequenceNumber,
        one.state,
        String(one.attempt),
        withAge(one.at, now),
        one.because ?? '',
      ]),
    ),
  ];
}
