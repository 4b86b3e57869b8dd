import type { JobRow } from '../job/job.ts';
import type { Instant } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { withAge } from './age.ts';
import type { CandidateSeen, History } from './job-history.ts';
import { table } from './table.ts';
import { type Moment, timeLine, told } from './time-line.ts';

/** What of a job to show: a person's data only where it was asked for. */
interface Shown {
  readonly now: Instant;
  readonly data: boolean;
}

/** A job and its history, for people. */
export const jobSheet = (history: History, shown: Shown): readonly string[] => [
  ...jobLines(history.job, shown),
  '',
  ...table(
    ['time', 'what', 'gen', ''],
    timeLine(history).map((moment) => momentLine(moment, shown)),
  ),
  ...candidateLines(history.candidates),
];

/** A job's row, a line for each thing that it says. */
export function jobLines(job: JobRow, shown: Shown): readonly string[] {
  const { failures, takeovers, releases } = job;
  return titled({
    job: job.id,
    intent: `${job.intentId}, group ${job.groupId}`,
    status: `${statusOf(job)}, generation ${job.generation}, version ${job.version}`,
    changed: withAge(job.changedAt, shown.now),
    spent: `failures ${failures}, takeovers ${takeovers}, releases ${releases}`,
    ...stateOf(job, shown.now),
    input: inputOf(job, shown),
    progress: job.status === 'running' && shown.data ? JSON.stringify(job.progress) : undefined,
    attention:
      job.sweepAt === undefined ? undefined : `due ${withAge(job.sweepAt as Instant, shown.now)}`,
  });
}

const statusOf = ({ status, erasedAt }: JobRow): string =>
  erasedAt === undefined ? status : `${status}, erased`;

function stateOf(job: JobRow, now: Instant): Readonly<Record<string, string | undefined>> {
  const failure =
    job.failure === undefined ? undefined : `${job.failure.code}: ${job.failure.message}`;
  if (job.status === 'running') return { lease: withAge(job.leaseUntil, now), failure };
  if (job.status !== 'succeeded' || job.result === undefined) return { failure };
  const { key, size, contentType } = job.result;
  return { result: `${key}, ${size} bytes, ${contentType}` };
}

function inputOf({ input, inputKey }: JobRow, { data }: Shown): string | undefined {
  if (input !== undefined) return data ? input : `${bytesOf(input)} bytes in the row`;
  return inputKey;
}

function titled(lines: Readonly<Record<string, string | undefined>>): readonly string[] {
  const given = Object.entries(lines).filter(([, text]) => text !== undefined);
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

function momentLine(moment: Moment, { data }: Shown): readonly string[] {
  const own = moment.kind === 'event' && data ? dataOf(moment.event.data) : '';
  const generation = moment.generation === undefined ? '' : String(moment.generation);
  return [isoTime(moment.at), moment.kind, generation, `${told(moment)}${own}`];
}

const dataOf = (data: unknown): string => (data === undefined ? '' : `  ${JSON.stringify(data)}`);

const candidateLines = (candidates: readonly CandidateSeen[]): readonly string[] =>
  candidates.length === 0
    ? []
    : [
        '',
        ...table(
          ['candidate', 'bytes', ''],
          candidates.map(({ key, size, isPromoted }) => [
            key,
            String(size),
            isPromoted ? 'promoted' : 'not promoted',
          ]),
        ),
      ];
