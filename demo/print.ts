import type { Happening } from 'lanekeeper';
import { late } from './plan.ts';
import { isCommand, type JobLine, type Report } from './report.ts';
import type { Story } from './story.ts';

/** Takes one line of text. */
export type Print = (line: string) => void;

/** Tells what happens while it happens: jobs that end, and what went wrong on the way. */
export function progress(
  print: Print,
  start: number,
): (happening: Happening, intent: string | undefined) => void {
  return (told, intent = 'a job') => {
    const text = sentence(told, intent);
    if (text !== undefined) print(`  ${clock(told.at - start)}  ${text}`);
  };
}

function sentence(told: Happening, intent: string): string | undefined {
  switch (told.kind) {
    case 'job-succeeded':
      return `succeeded   ${intent}, generation ${told.generation}`;
    case 'job-failed':
      return `failed      ${intent}: ${told.failure.message}`;
    case 'job-taken-over':
      return `taken over  ${intent}, whose owner fell silent; generation ${told.generation} runs`;
    case 'job-finished-for':
      return `finished    ${intent}, whose owner had left what it made; generation ${told.generation} keeps it`;
    case 'write-fenced':
      return `refused     ${told.what} of ${intent} by generation ${told.generation}: the job is at ${told.by}`;
    case 'message-repeated':
      return isCommand(told)
        ? 'repeated    a command whose job is over: acknowledged, not run'
        : 'repeated    catalogue: an event that it has seen: acknowledged, nothing changed';
    case 'gap-filled':
      return `gap filled  catalogue: event ${told.from} of ${intent} is missing, so its row was read`;
    case 'event-stale':
      return `stale       catalogue: ${told.type} of ${intent}, which has gone on: nothing changed`;
    case 'orphans-collected':
      return `swept       ${told.count} candidate${told.count === 1 ? '' : 's'} that nothing points at`;
    default:
      return undefined;
  }
}

/** A length of time on the moved clock, as minutes and seconds. */
const clock = (ms: number): string =>
  `${String(Math.floor(ms / 60_000)).padStart(3)}:${String(Math.floor((ms % 60_000) / 1_000)).padStart(2, '0')}`;

/** The report for a person: a table of the jobs, then what was refused and why. */
export function printed(report: Report, story: Story, print: Print): void {
  print('');
  for (const line of table(heads, report.jobs.map(cells))) print(line);
  for (const { intentId, failure } of report.jobs)
    if (failure !== undefined) print(`\n${intentId} failed: ${failure.message} (${failure.code})`);
  print('');
  for (const line of paragraph(report, story)) print(line);
  print('');
  for (const line of catalogued(report.catalogue)) print(line);
}

const heads = ['job', 'group', 'generation', 'version', 'rows', 'result key', 'events'];

const cells = (job: JobLine): readonly string[] => [
  job.intentId,
  job.groupId,
  String(job.generation),
  String(job.version),
  job.result === undefined ? job.status : String(job.result.rows),
  job.result === undefined ? '-' : shortKey(job.result.key),
  job.events.map(({ n, type }) => `#${n} ${type.replace('export.', '')}`).join(', '),
];

function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((head, i) =>
    Math.max(...[head, ...rows.map((row) => row[i] ?? '')].map(({ length }) => length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(heads), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)];
}

/** The end of a key tells attempts apart: generation, attempt, name. */
function shortKey(key: string): string {
  const [, , , generation = '', attempt = '', name = ''] = key.split('/');
  return `…/${generation}/…${attempt.slice(-6)}/${name}`;
}

function paragraph(report: Report, { laptop, existing }: Story): string[] {
  const { refused, orphans, published, duplicates } = report;
  const repeated = laptop.happenings('message-repeated').filter(isCommand).length;
  const takeovers = laptop.happenings('job-taken-over').length;
  return [
    `${counted(published, 'completion event')} published, one each time that a job ended.`,
    '',
    `${counted(takeovers, 'job')} had to be taken over: one worker crashed between its candidate and its completion, one was`,
    'frozen there and woke when another had done its job.',
    ...refused.map(
      ({ jobId, generation, by, what }) =>
        `Refused: "${what}" of ${report.jobs.find((job) => job.jobId === jobId)?.intentId} by generation ${generation}, since the job was at generation ${by}.\nNothing changed, nothing was published.`,
    ),
    "The reply to one completion got lost: the row holds the attempt's own id, so its winner was not told that it lost.",
    `${counted(duplicates, 'repeat')} had no effect: ${counted(existing, 'submission')}, ${counted(repeated, 'command')}, ${counted(duplicates - existing - repeated, 'publication')}.`,
    `Orphans: ${orphans.found} found, ${orphans.collected} collected, ${orphans.left} left.`,
  ];
}

/** What the consumer came to, and whether it is true. */
function catalogued(catalogue: Report['catalogue']): readonly string[] {
  const { exports, totals, wrong, crashes, repeated } = catalogue;
  const rows = totals.map((total) => [total.groupId, String(total.exports), String(total.rows)]);
  const verdict =
    wrong.length === 0
      ? [
          `The catalogue is true: its ${exports} exports and ${totals.length} totals are what the jobs' rows say.`,
        ]
      : ["The catalogue differs from the jobs' rows:", ...wrong.map((line) => `  it ${line}`)];
  return [
    ...table(['catalogue', 'exports', 'rows'], rows),
    '',
    ...verdict,
    `Its worker had ${counted(crashes, 'crash', 'es')}, and ${counted(repeated, 'event')} came again. The failure of ${late.intentId} got lost on the way to it: the`,
    'success behind that one showed the gap, which was filled from the row; the failure turned up last, and was stale.',
  ];
}

const counted = (count: number, what: string, many = 's'): string =>
  `${count} ${what}${count === 1 ? '' : many}`;
