import { type Replayed, replayEvents } from '../handler/replay-events.ts';
import { type Command, misused } from './command.ts';
import { countOf } from './count-of.ts';
import { changeFlags, changeUsage, deskAt, deskFlags, deskUsage } from './desk.ts';
import { namedJob } from './named-job.ts';
import { parsed, type Words } from './parsed.ts';

const flags = {
  ...deskFlags,
  ...changeFlags,
  group: { type: 'string' },
  kind: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  as: { type: 'string' },
  for: { type: 'string' },
  rate: { type: 'string', default: '100' },
} as const;

const words: Words = {
  least: 0,
  most: 2,
  are: "a job's ID, or its KIND and INTENT, or flags only",
};

/** Events once more, for consumers that lost what they knew. */
export const replay: Command = {
  name: 'replay',
  summary: 'publishes events of a job, a group or a time range once more, in order',
  usage: `  ID, or KIND INTENT  the events of one job
  --group ID      those of a group
  --since TIME    those committed from here on, such as 2026-12-01T13:00:00Z
  --until TIME    and before
  --kind NAME     only of jobs of one kind
  --as NAME       who is named by --for handles them again, once for each NAME; to all others they are repeats
  --for NAMES     the consumers that do, separated by commas
  --rate N        events that are sent in a second, at most (default: 100)
${changeUsage}
${deskUsage}

Without a job it reads the whole jobs table, and says what that cost. It ends with 1 where a target didn't take all, or
where a newer release wrote a row.`,
  async run(shell) {
    const { values, positionals } = parsed(shell, flags, words);
    const { group, kind, since, until } = values;
    const again = againOf(values);
    const rate = countOf('--rate', values.rate);
    const of = { group, kind, since, until };
    const job = positionals.length === 0 ? undefined : namedJob(positionals);
    const desk = await deskAt(shell, values);
    const dryRun = values['dry-run'];
    const report = await replayEvents(desk.world, { ...of, job }, { again, rate, dryRun });
    desk.print(
      desk.json ? JSON.stringify({ ...report, dryRun }) : replayLines(report, dryRun).join('\n'),
    );
    const { rows, requests, units } = report.cost;
    desk.note(`read ${rows} rows in ${requests} requests for about ${units} read units`);
    return report.held.length + report.unreadable === 0 ? 'done' : 'not-done';
  },
};

function againOf({ as, for: names }: { readonly as?: string; readonly for?: string }) {
  if (as === undefined && names === undefined) return undefined;
  if (as !== undefined && names !== undefined) return { name: as, for: names.split(',') };
  throw misused(
    '--as and --for go together: under which name, and which consumers handle the events again',
  );
}

/** What a replay came to, for people. */
function replayLines(report: Replayed, dryRun: boolean): readonly string[] {
  const { jobs, events, sent, held, gone, incomplete, unreadable } = report;
  const [first] = held;
  return [
    dryRun
      ? `would send ${events} events of ${jobs} jobs`
      : `sent ${sent} of ${events} events of ${jobs} jobs`,
    ...(first === undefined
      ? []
      : [
          `${held.length} were not accepted or stood behind one that wasn't, first ${first.event} of group ${first.group}: run it again when the target is well, repeats are known by their ids`,
        ]),
    ...(gone === 0 ? [] : [`${gone} were erased before their turn came`]),
    ...(unreadable === 0 ? [] : [`${unreadable} jobs left alone: written by a newer release`]),
    ...(incomplete.length === 0
      ? []
      : [
          `of ${incomplete.length} jobs earlier events are in their rows no more, first ${incomplete[0]}`,
        ]),
  ];
}
