import type { Instant } from '../kernel/brand.ts';
import { tables } from '../kernel/settings.ts';
import { between } from '../kernel/time.ts';
import type { Row } from '../ports/store.ts';
import { inWords } from './age.ts';
import type { Command } from './command.ts';
import { countOf } from './count-of.ts';
import { deskAt, deskFlags, deskUsage } from './desk.ts';
import { foundRows } from './found-rows.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

/** A parked group, as its row tells of it. */
export interface ParkedGroup {
  readonly queue: string;
  readonly group: string;
  readonly parked: number;
  readonly since: Instant;
  readonly code: string;
  readonly why: string;
}

const flags = {
  ...deskFlags,
  queue: { type: 'string' },
  limit: { type: 'string', default: '100' },
} as const;

/** Parked groups by scan, the longest parked first. */
export const groupsList: Command = {
  name: 'groups list',
  summary: 'parked groups, since when and why',
  usage: `  --queue NAME    groups of one queue
  --limit N       stop when so many are found (default: 100)
${deskUsage}

It reads the care table row by row until it has found enough, and says what that cost.`,
  async run(shell) {
    const { values } = parsed(shell, flags);
    const limit = countOf('--limit', values.limit);
    const desk = await deskAt(shell, values);
    const { all } = await foundRows(desk, {
      table: tables.care,
      prefix: `group#${values.queue === undefined ? '' : `${values.queue}#`}`,
      limit,
      read: parkedGroupOf,
    });
    const sorted = all.toSorted((a, b) => a.since - b.since);
    if (desk.json) for (const group of sorted) desk.print(JSON.stringify(group));
    else desk.print(groupsTable(sorted, desk.world.clock.now()).join('\n'));
    return 'done';
  },
};

/** Reads a group's row; undefined for an open group, and for any other row. */
export function parkedGroupOf(row: Row): ParkedGroup | undefined {
  if (row['sk'] !== 'state' || row['state'] !== 'parked') return undefined;
  return {
    queue: String(row['queue']),
    group: String(row['group']),
    parked: Number(row['parked']),
    since: Number(row['parkedAt']) as Instant,
    code: String(row['code'] ?? ''),
    why: String(row['why'] ?? ''),
  };
}

/** Groups as a table for people. */
export const groupsTable = (groups: readonly ParkedGroup[], now: Instant): readonly string[] =>
  groups.length === 0
    ? ['no parked groups']
    : table(
        ['queue', 'group', 'messages', 'parked for', 'code', 'why'],
        groups.map(({ queue, group, parked, since, code, why }) => [
          queue,
          group,
          String(parked),
          inWords(between(since, now)),
          code,
          why,
        ]),
      );
