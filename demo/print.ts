import type { Happening } from 'lanekeeper';
import type { JobLine, Report } from './report.ts';
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
      return 'repeated    a command whose job is over: acknowledged, not run';
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
  for (const line of table(report.jobs)) print(line);
  for (const { intentId, failure } of report.jobs)
    if (failure !== undefined) print(`\n${intentId} failed: ${failure.message} (${failure.code})`);
  print('');
  for (const line of paragraph(report, story)) print(line);
}

const heads = ['job', 'group', 'generation', 'version', 'rows', 'result key', 'events'];

function table(jobs: readonly JobLine[]): readonly string[] {
  const rows = jobs.map((job) => [
    job.intentId,
    job.groupId,
    String(job.generation),
    String(job.version),
    job.result === undefined ? job.status : String(job.result.rows),
    job.result === undefined ? '-' : shortKey(job.result.key),
    job.events.map(({ n, type }) => `#${n} ${type.replace('export.', '')}`).join(', '),
  ]);
  const all = [heads, ...rows];
  const widths = heads.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
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

function paragraph(report: Report, { laptop, existing, consumed }: Story): string[] {
  const { refused, orphans, published, duplicates } = report;
  const repeated = laptop.happenings('message-repeated').length;
  const takeovers = laptop.happenings('job-taken-over').length;
  return [
    `${counted(published, 'completion event')} published, one for each job that ended; ${consumed} reached the consumer's queue.`,
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

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;
