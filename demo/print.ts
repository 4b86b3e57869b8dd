import type { Happening } from 'lanekeeper';
import type { JobLine, Report } from './report.ts';
import type { Story } from './story.ts';

/** Takes one line of text. */
export type Print = (line: string) => void;

/** Tells what happens while it happens: jobs that end, and what went wrong on the way. */
export function progress(print: Print, start: number): (happening: Happening) => void {
  return (told) => {
    const text = sentence(told);
    if (text !== undefined) print(`  ${clock(told.at - start)}  ${text}`);
  };
}

function sentence(told: Happening): string | undefined {
  switch (told.kind) {
    case 'job-succeeded':
      return `succeeded   ${told.job}, generation ${told.generation}`;
    case 'job-failed':
      return `failed      ${told.job}: ${told.failure.message}`;
    case 'job-taken-over':
      return `taken over  ${told.job}, whose owner fell silent; generation ${told.generation} runs`;
    case 'write-fenced':
      return `refused     ${told.what} of ${told.job} by generation ${told.generation}: the job is at ${told.by}`;
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
    job.events.map(({ n, type }) => `${n} ${type.replace('export.', '')}`).join(', '),
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

function paragraph(
  { refused, orphans, published, duplicates }: Report,
  { laptop, existing, consumed }: Story,
): string[] {
  const took = laptop.happenings('job-taken-over').length;
  const repeated = laptop.happenings('message-repeated').length;
  const struck = (what: string) => laptop.strikes().filter((strike) => strike.what === what).length;
  return [
    `${published} completion events were published for as many jobs, and ${consumed} reached the consumer's queue.`,
    `What went wrong on purpose: ${struck('crash')} worker crashed between its candidate and its completion, ${struck('freeze')} was frozen there`,
    `and woke after its job had been taken over, ${struck('lost-reply')} completion's reply got lost, ${struck('delivered-twice')} command came twice,`,
    `and each intent was submitted twice.`,
    ...refused.map(
      ({ jobId, generation, by, what }) =>
        `Refused: ${what} of ${jobId} by generation ${generation}, because generation ${by} had the job. Nothing changed, nothing was published.`,
    ),
    `The lost reply was recognised by the attempt's own id in the row, so the winner was not told that it lost.`,
    `${took} jobs were taken over. ${duplicates} repeats had no effect: ${existing} submissions, ${repeated} commands, ${duplicates - existing - repeated} publications.`,
    `Orphans: ${orphans.found} found, ${orphans.collected} collected, ${orphans.left} left.`,
  ];
}
