import { reconcileHandler } from '../handler/reconcile-handler.ts';
import type { Reconciled, Why } from '../handler/tally.ts';
import { inWords } from './age.ts';
import type { Command } from './command.ts';
import { countOf } from './count-of.ts';
import { changeFlags, changeUsage, deskAt, deskFlags, deskUsage } from './desk.ts';
import { parsed } from './parsed.ts';
import { table } from './table.ts';

const flags = {
  ...deskFlags,
  ...changeFlags,
  since: { type: 'string' },
  until: { type: 'string' },
  unproved: { type: 'boolean', default: false },
  rate: { type: 'string', default: '1000' },
} as const;

/** One pass of reconcile, from here. */
export const reconcile: Command = {
  name: 'reconcile',
  summary:
    'sends events that nothing proves, what was set aside, and commands of jobs that nobody works on',
  usage: `  --since TIME    a window of one's own, such as 2026-12-01T13:00:00Z, which moves no watermark (default: where reconcile came to)
  --until TIME    its end (default: now, without what the relay may still be at)
  --unproved      send what is older than the ledger's 8 days too, though it was most likely published
  --rate N        rows of jobs that are read in a second, at most (default: 1000)
${changeUsage}
${deskUsage}

It reads every row of the jobs table, and says what that cost. It ends with 1 where something is left to do.`,
  async run(shell) {
    const { values } = parsed(shell, flags);
    const { since, until, unproved, 'dry-run': dryRun } = values;
    const rate = countOf('--rate', values.rate);
    const desk = await deskAt(shell, values);
    const run = reconcileHandler(desk.world, { rate });
    const asked = { ...(since === undefined ? {} : { since }), ...(until && { until }) };
    const context = { awsRequestId: desk.world.random.ulid() } as Parameters<typeof run>[1];
    const report = await run({ ...asked, unproved, dryRun }, context);
    desk.print(desk.json ? JSON.stringify(report) : reportLines(report).join('\n'));
    const { rows, requests, units } = report.cost;
    desk.note(`read ${rows} rows in ${requests} requests for about ${units} read units`);
    return report.held + report.left === 0 ? 'done' : 'not-done';
  },
};

const reasons: Readonly<Record<Why, string>> = {
  unproved: 'nothing proves that it was published',
  'set-aside': 'its target refused it before',
  idle: 'nobody works on its job',
};

/** What a pass came to, for people. */
export function reportLines(report: Reconciled): readonly string[] {
  const { window, checked, found, oldestUnproved, dryRun } = report;
  return [
    `${dryRun ? 'would reconcile' : 'reconciled'} what was committed from ${window.since} until ${window.until}: ${checked} jobs`,
    ...(found.length === 0
      ? ['nothing to send']
      : table(
          ['target', 'found', 'sent', 'why'],
          found.map(({ target, found: count, published, why }) => [
            target,
            String(count),
            dryRun ? '' : String(published),
            reasons[why],
          ]),
        )),
    ...(oldestUnproved === 0 ? [] : [`the oldest was ${inWords(oldestUnproved)} old`]),
    ...leftLines(report),
  ];
}

function leftLines(report: Reconciled): readonly string[] {
  const { held, aside, idle, unprovable, unreadable, orderBroken, left } = report;
  const lines: readonly (readonly [number, string])[] = [
    [held, 'not accepted now: run it again when the target is well'],
    [aside, 'set aside: outbox backlog shows why'],
    [idle, 'jobs that nobody works on; a command that changes nothing is sent ever more seldom'],
    [unprovable, 'older than the ledger remembers, and left alone: --unproved sends them'],
    [unreadable, 'left alone: written by a newer release, or without a command in the row'],
    [orderBroken, 'commands of kinds with order by submission: that order may be broken'],
    [left, 'parts of the pass are worked on by others, or not done'],
  ];
  return lines.filter(([count]) => count > 0).map(([count, says]) => `${count} ${says}`);
}
