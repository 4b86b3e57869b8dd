import { type Erased, eraseJob } from '../handler/erase-job.ts';
import type { JobId } from '../kernel/brand.ts';
import { type Command, misused } from './command.ts';
import { changeFlags, changeUsage, deskAt, deskFlags, deskUsage } from './desk.ts';
import { jobWords, namedJob } from './named-job.ts';
import { parsed } from './parsed.ts';
import { dryRun, said } from './verb-command.ts';

const flags = { ...deskFlags, ...changeFlags, because: { type: 'string' } } as const;

/** Takes what is a person's from a job that has ended, and keeps a tombstone. */
export const jobsErase: Command = {
  name: 'jobs erase',
  summary: "removes a person's input, results and events, and keeps a tombstone",
  usage: `  ID, or KIND INTENT  which job; it has ended
  --because TEXT  why, kept in the tombstone
${changeUsage}
${deskUsage}

Run it again after a crash: it finishes what was begun. See docs/cli.md for what it can't reach.`,
  async run(shell) {
    const { values, positionals } = parsed(shell, flags, jobWords);
    const { because } = values;
    const id = namedJob(positionals);
    if (because === undefined || because === '')
      throw misused('jobs erase asks for --because TEXT: the tombstone keeps why it was erased');
    const desk = await deskAt(shell, values);
    if (values['dry-run']) return dryRun(desk, id, { kind: 'erase', because });
    const erased = await eraseJob(desk.world, id, { because });
    desk.print(desk.json ? JSON.stringify({ id, ...erased }) : erasedLines(id, erased).join('\n'));
    return erased.kind === 'missing' ? 'not-done' : 'done';
  },
};

/** What an erasure came to, in words. */
export function erasedLines(id: JobId, erased: Erased): readonly string[] {
  const first = `${id}: ${said('erase', erased.kind)}`;
  if (erased.kind === 'missing') return [first];
  const { objects, left, rows } = erased;
  return [
    first,
    `deleted: ${objects} objects, ${rows} rows beside the job's`,
    ...(left === 0
      ? []
      : [`left to the sweeper, which alone may delete: ${left} objects, gone after its next run`]),
  ];
}
