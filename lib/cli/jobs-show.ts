import type { Command } from './command.ts';
import { deskAt, deskFlags, deskUsage } from './desk.ts';
import { type History, jobHistory } from './job-history.ts';
import { jobSheet } from './job-sheet.ts';
import { jobWords, namedJob } from './named-job.ts';
import { parsed } from './parsed.ts';
import { readJob } from './read-job.ts';
import { timeLine } from './time-line.ts';

const flags = { ...deskFlags, data: { type: 'boolean', default: false } } as const;

/** One job, and all that is known of what happened to it. */
export const jobsShow: Command = {
  name: 'jobs show',
  summary: "a job's row and its history as a time line",
  usage: `  ID, or KIND INTENT  which job
  --data          show input, progress and the data of events too, which may be a person's
${deskUsage}`,
  async run(shell) {
    const { values, positionals } = parsed(shell, flags, jobWords);
    const id = namedJob(positionals);
    const desk = await deskAt(shell, values);
    const history = await jobHistory(desk.world, await readJob(desk, id));
    if (desk.json) desk.print(JSON.stringify(document(history, values.data)));
    else
      desk.print(jobSheet(history, { now: desk.world.clock.now(), data: values.data }).join('\n'));
    return 'done';
  },
};

/** The row as it is, without what may be a person's unless that was asked for. */
function document(history: History, data: boolean) {
  const { events: _, input, progress, ...row } = { progress: undefined, ...history.job };
  const moments = timeLine(history).map((moment) =>
    moment.kind === 'event' && !data
      ? { ...moment, event: { ...moment.event, data: undefined } }
      : moment,
  );
  const own = data ? { input, progress } : {};
  return { job: { ...row, ...own }, timeLine: moments, candidates: history.candidates };
}
