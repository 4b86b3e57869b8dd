import type { GroupId, Instant } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import { schemaNumber, tables } from '../kernel/settings.ts';
import type { Commit, Row, Write } from '../ports/store.ts';
import { type Appended, appended } from './appended.ts';
import { isAbsent } from './guards.ts';
import { headWrite } from './head.ts';
import { type JobRow, jobOf, keyOf } from './job.ts';
import { jobId } from './job-id.ts';

/** A job that shall exist. */
export interface Submission {
  readonly kind: string;
  readonly intentId: string;
  readonly groupId: GroupId;
  readonly inputHash: string;
  readonly input: { readonly text: string } | { readonly key: string };
  /** ULID, chosen before the write. */
  readonly incarnation: string;
  /** The jobs of its group run in the order in which they were submitted. */
  readonly order?: 'submission';
  readonly at: Instant;
}

/** The put that makes the job exist, with its command in it: never announced before it exists, never unannounced. */
export function submission(asked: Submission): Write {
  const id = jobId(asked.kind, asked.intentId);
  const { set, append } = firstCommand(asked);
  const fields: Row = {
    schema: schemaNumber,
    id,
    kind: asked.kind,
    incarnation: asked.incarnation,
    status: 'queued',
    generation: 0,
    version: 1,
    groupId: asked.groupId,
    intentId: asked.intentId,
    inputHash: asked.inputHash,
    ...('text' in asked.input ? { input: asked.input.text } : { inputKey: asked.input.key }),
    failures: 0,
    takeovers: 0,
    releases: 0,
    firstN: 1,
    changedAt: asked.at,
    ...set,
    events: append.events,
  };
  return { table: tables.jobs, key: keyOf(id), when: [isAbsent], kind: 'put', fields };
}

/**
 * All writes of a submission: the job's put comes first, so that its refusal is the one that is told. In a group with an
 * order the command is announced by the group's head instead of the job's row, where it stands all the same.
 */
export function submissionWrites(asked: Submission): readonly Write[] {
  const put = submission(asked);
  if (asked.order === undefined || put.kind !== 'put') return [put];
  const { news: _, ...fields } = put.fields;
  const id = jobId(asked.kind, asked.intentId);
  const [command] = firstCommand(asked).append.events;
  const head = headWrite({ ...asked, id }, command as unknown as StoredEvent);
  return [{ ...put, fields: { ...fields, order: asked.order } }, head];
}

const firstCommand = ({ kind, intentId, incarnation, at }: Submission): Appended =>
  appended(
    {
      id: jobId(kind, intentId),
      incarnation,
      lastN: 0,
      sequences: { commands: 0, events: 0 },
      generation: 0,
      version: 1,
    },
    { channel: 'commands', type: `${kind}.run`, data: {}, at },
  );

/** What became of a submission. Existing: the same intent, group and input. Conflict: the same intent, anything else. */
export type SubmitAnswer =
  | { readonly kind: 'created' | 'existing'; readonly job: JobRow }
  | { readonly kind: 'conflict'; readonly differs: 'group' | 'input'; readonly job: JobRow }
  | { readonly kind: 'newer'; readonly schema: number }
  | { readonly kind: 'unknown' };

/** Reads the store's answer to {@link submissionWrites}; one's own incarnation in the way means that an earlier reply was lost. */
export function submitAnswer(asked: Submission, commit: Commit): SubmitAnswer {
  if (commit.kind === 'unknown') return commit;
  const row = commit.kind === 'committed' ? (commit.row ?? madeBy(asked)) : commit.old;
  if (row === undefined) return { kind: 'unknown' };
  const read = jobOf(row);
  if (read.kind === 'newer') return read;
  const { job } = read;
  if (job.incarnation === asked.incarnation) return { kind: 'created', job };
  if (job.groupId !== asked.groupId) return { kind: 'conflict', differs: 'group', job };
  // What an erased job was asked nobody knows any more.
  if (job.erasedAt !== undefined) return { kind: 'existing', job };
  if (job.inputHash !== asked.inputHash) return { kind: 'conflict', differs: 'input', job };
  return { kind: 'existing', job };
}

/** The row that a submission made: a transaction doesn't answer with it. */
function madeBy(asked: Submission): Row | undefined {
  const [put] = submissionWrites(asked);
  return put?.kind === 'put' ? { ...put.fields, ...put.key } : undefined;
}
