import type { JobRow } from '../job/job.ts';
import type { Instant } from '../kernel/brand.ts';
import type { StoredEvent } from '../kernel/event.ts';
import { never } from '../kernel/never.ts';
import type { History, Refused } from './job-history.ts';
import type { Proof } from './proofs.ts';
import { ulidTime } from './ulid-time.ts';

/** One thing that happened to a job. */
export type Moment = {
  readonly at: Instant;
  /** Undefined where nothing says whose it was. */
  readonly generation: number | undefined;
} & (
  | { readonly kind: 'event'; readonly event: StoredEvent; readonly proof: Proof }
  | { readonly kind: 'attempt'; readonly attemptId: string; readonly tookOver: boolean }
  | {
      readonly kind: 'refused';
      readonly refused: Refused;
      /** The attempt or the command that has the generation which won. */
      readonly winner: string | undefined;
    }
  | { readonly kind: 'cancel-requested' | 'erased'; readonly because: string | undefined }
);

/** What happened to a job, in order; attempts are those that left a trace: in the row, in the bucket, or by a refused write. */
export function timeLine(history: History): readonly Moment[] {
  const attempts = attemptsOf(history);
  return [
    ...attempts,
    ...eventsOf(history),
    ...history.refused.map((refused) => refusal(refused, { history, attempts })),
    ...asked(history),
  ].toSorted(
    (a, b) =>
      a.at - b.at || (a.generation ?? 0) - (b.generation ?? 0) || rank[a.kind] - rank[b.kind],
  );
}

/** What happened in one millisecond and one generation, in the only order that it can have. */
const rank: Readonly<Record<Moment['kind'], number>> = {
  attempt: 0,
  'cancel-requested': 1,
  event: 2,
  refused: 3,
  erased: 4,
};

type Began = Moment & { readonly kind: 'attempt' };

function attemptsOf(history: History): readonly Began[] {
  const { job, refused, candidates } = history;
  const known = new Map<string, number | undefined>();
  if (job.attemptId !== undefined) known.set(job.attemptId, lastGeneration(job));
  for (const { attemptId, generation } of [...refused, ...candidates])
    known.set(attemptId, generation);
  return [...known].flatMap(([attemptId, generation]) => {
    const at = ulidTime(attemptId);
    if (at === undefined) return [];
    const tookOver = generation !== undefined && isTakeover(generation, history);
    return [{ kind: 'attempt', at, generation, attemptId, tookOver }];
  });
}

/** The generation of the last attempt, which an operator may have raised since; a cancel that nobody asked for first doesn't say. */
function lastGeneration(job: JobRow): number | undefined {
  if (job.status === 'cancelled' && job.cancelRequestedAt === undefined) return undefined;
  const last = job.events.at(-1);
  const isRaised =
    job.status === 'queued' && last?.channel === 'commands' && last.generation === job.generation;
  return isRaised ? job.generation - 1 : job.generation;
}

/** Nobody gave the job back, so whoever came later took it from somebody who fell silent. */
function isTakeover(generation: number, { job, refused }: History): boolean {
  const isRaised = job.events.some((event) => event.generation === generation - 1 && event.n > 1);
  const isLost = refused.some((one) => one.generation < generation && one.by >= generation);
  const onlyTakeovers = job.takeovers > 0 && job.failures + job.releases === 0;
  return generation > 1 && !isRaised && (isLost || onlyTakeovers);
}

const eventsOf = ({ job, proofs }: History): readonly Moment[] =>
  job.events.map((event) => ({
    kind: 'event',
    at: event.at,
    generation: event.generation,
    event,
    proof: proofs.get(event.id) ?? { kind: 'no-proof' },
  }));

function refusal(
  refused: Refused,
  { history, attempts }: { readonly history: History; readonly attempts: readonly Began[] },
): Moment {
  const winner =
    attempts.find(({ generation }) => generation === refused.by)?.attemptId ??
    history.job.events.find(({ generation }) => generation === refused.by)?.type;
  return { kind: 'refused', at: refused.at, generation: refused.generation, refused, winner };
}

function asked({ job }: History): readonly Moment[] {
  const { cancelRequestedAt, cancelBecause, erasedAt, erasedBecause, generation } = job;
  const all = [
    { kind: 'cancel-requested', at: cancelRequestedAt, because: cancelBecause },
    { kind: 'erased', at: erasedAt, because: erasedBecause },
  ] as const;
  return all.flatMap(({ at, ...one }) => (at === undefined ? [] : [{ ...one, at, generation }]));
}

/** A moment in words. */
export function told(moment: Moment): string {
  switch (moment.kind) {
    case 'event':
      return `${moment.event.channel} ${moment.event.sequence}: ${moment.event.type}${proved(moment.proof)}`;
    case 'attempt':
      return `${moment.attemptId}${moment.tookOver ? ' took over' : ' began'}`;
    case 'refused':
      return `${moment.refused.what} of ${moment.refused.attemptId}: ${moment.refused.answer} by ${winnerOf(moment)}`;
    case 'cancel-requested':
    case 'erased':
      return moment.because === undefined ? '' : `because ${moment.because}`;
    default:
      return never(moment);
  }
}

const winnerOf = ({ refused, winner }: Moment & { readonly kind: 'refused' }): string =>
  `generation ${refused.by}${winner === undefined ? '' : `, ${winner}`}`;

function proved(proof: Proof): string {
  switch (proof.kind) {
    case 'published':
      return `, published to ${proof.target}`;
    case 'set-aside':
      return `, set aside for ${proof.target}`;
    case 'no-proof':
      return ', no proof that it was published';
    case 'forgotten':
      return '';
    default:
      return never(proof);
  }
}
