import { askJob, type Changed, wouldAsk } from '../handler/ask-job.ts';
import { jobOf } from '../job/job.ts';
import type { Verb } from '../job/operator.ts';
import type { JobId } from '../kernel/brand.ts';
import { never } from '../kernel/never.ts';
import type { Row } from '../ports/store.ts';
import { type Command, type Ended, misused } from './command.ts';
import { changeFlags, changeUsage, type Desk, deskAt, deskFlags, deskUsage } from './desk.ts';
import { jobLines } from './job-sheet.ts';
import { jobWords, namedJob } from './named-job.ts';
import { parsed } from './parsed.ts';

const flags = {
  ...deskFlags,
  ...changeFlags,
  because: { type: 'string' },
  force: { type: 'boolean', default: false },
} as const;

/** Ends a job: at once where nobody works on it, else by asking its owner. */
export const jobsCancel: Command = verbCommand({
  verb: 'cancel',
  summary: 'ends a job: at once if it is queued, else its owner is asked to stop',
  own: '  --force         end a running job now: its owner is fenced\n',
});

/** Takes a running job from its owner. */
export const jobsRelease: Command = verbCommand({
  verb: 'release',
  summary: 'takes a running job from its owner, who is fenced, and queues it again',
});

/** Queues a failed job again. */
export const jobsRetry: Command = verbCommand({
  verb: 'retry',
  summary: 'queues a failed job again, with whole budgets',
});

interface VerbSettings {
  readonly verb: 'cancel' | 'release' | 'retry';
  readonly summary: string;
  /** The usage of flags of its own. */
  readonly own?: string;
}

function verbCommand({ verb, summary, own = '' }: VerbSettings): Command {
  return {
    name: `jobs ${verb}`,
    summary,
    usage: `  ID, or KIND INTENT  which job
  --because TEXT  why, for the job's event
${own}${changeUsage}
${deskUsage}`,
    async run(shell) {
      const { values, positionals } = parsed(shell, flags, jobWords);
      const { because, force } = values;
      if (force && verb !== 'cancel') throw misused(`jobs ${verb} knows no --force`);
      const id = namedJob(positionals);
      const desk = await deskAt(shell, values);
      const asked = verb === 'cancel' ? { kind: verb, force, because } : { kind: verb, because };
      if (values['dry-run']) return dryRun(desk, id, asked);
      return answered(desk, { id, verb, changed: await askJob(desk.world, id, asked) });
    },
  };
}

/** Says what a verb would come to, and what the row says now. */
export async function dryRun(desk: Desk, id: JobId, verb: Verb): Promise<Ended> {
  const { row, step } = await wouldAsk(desk.world, id, verb);
  const kind = step.kind === 'write' ? step.means : step.kind;
  if (desk.json) desk.print(JSON.stringify({ id, would: kind }));
  else desk.print([would(verb.kind, kind), ...rowLines(row, desk)].join('\n'));
  return isDone(kind) ? 'done' : 'not-done';
}

function rowLines(row: Row | undefined, { world }: Desk): readonly string[] {
  const read = row === undefined ? undefined : jobOf(row);
  return read?.kind === 'job' ? jobLines(read.job, { now: world.clock.now(), data: false }) : [];
}

interface Answered {
  readonly id: JobId;
  readonly verb: Verb['kind'];
  readonly changed: Changed;
}

function answered(desk: Desk, { id, verb, changed: { kind } }: Answered): Ended {
  desk.print(desk.json ? JSON.stringify({ id, kind }) : `${id}: ${said(verb, kind)}`);
  return isDone(kind) ? 'done' : 'not-done';
}

/** Whether things are now as they were asked to be. */
const isDone = (kind: Changed['kind']): boolean => kind !== 'finished' && kind !== 'missing';

const would = (verb: Verb['kind'], kind: Changed['kind']): string =>
  kind === 'changed' || kind === 'requested'
    ? `would ${verb} this job: ${said(verb, kind)}`
    : `would change nothing: ${said(verb, kind)}`;

const changes: Readonly<Record<Verb['kind'], string>> = {
  cancel: 'cancelled',
  release: 'queued again, its owner is fenced',
  retry: 'queued again, with whole budgets',
  erase: 'erased',
};

const alreadys: Readonly<Record<Verb['kind'], string>> = {
  cancel: 'already cancelled, or asked to be',
  release: 'already queued',
  retry: 'already queued or running',
  erase: 'already erased',
};

const nevers: Readonly<Record<Verb['kind'], string>> = {
  cancel: 'it has ended, and what is final stays',
  release: 'it has ended, so nobody holds it',
  retry: 'only a failed job can be queued again, while it has its input',
  erase: 'it has ended',
};

/** What a verb came to, in words. */
export function said(verb: Verb['kind'], kind: Changed['kind']): string {
  switch (kind) {
    case 'changed':
      return changes[verb];
    case 'requested':
      return 'its owner is asked to stop; --force ends it now';
    case 'already':
      return alreadys[verb];
    case 'finished':
      return nevers[verb];
    case 'missing':
      return 'there is no such job: jobs list finds those that there are';
    default:
      return never(kind);
  }
}
