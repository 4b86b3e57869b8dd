import type { JobRow } from '../../lib/job/job.ts';
import { lengths } from '../../lib/kernel/settings.ts';

/** Who sent a write, as far as the rules ask. */
export type Writer =
  /** `now` is his own clock, which may be off. */
  | { readonly kind: 'claimer'; readonly attemptId: string; readonly now: number }
  | {
      readonly kind: 'owner';
      readonly attemptId: string;
      readonly generation: number;
      /** The budget that pays where he puts the job back. */
      readonly spends?: 'failures' | 'releases' | 'nothing';
    }
  | { readonly kind: 'caller' | 'operator' | 'sweeper' };

/** One change that a store let through, of a row that stayed. */
export interface Step {
  readonly old: JobRow;
  readonly now: JobRow;
  readonly by: Writer;
}

interface Rule {
  readonly promise: string;
  holds(step: Step): boolean;
}

/** What every change of a job's row keeps; the numbers are those of the invariants of the fence. */
const rules: readonly Rule[] = [
  {
    promise: 'I2: only the owner of the row’s generation writes as an owner',
    holds: ({ old, by }) =>
      by.kind !== 'owner' ||
      (old.status === 'running' &&
        old.generation === by.generation &&
        old.attemptId === by.attemptId),
  },
  {
    promise: 'I3: final is final, but for an operator’s retry of a failed job',
    holds: (step) => !isOver(step.old) || isRetry(step) || by(step, 'sweeper'),
  },
  {
    promise: 'I6: generation and version rise by at most one, and never fall',
    holds: ({ old, now }) =>
      isNextOrSame(old.generation, now.generation) && isNextOrSame(old.version, now.version),
  },
  {
    promise: 'the incarnation of a row that stays is the same',
    holds: ({ old, now }) => old.incarnation === now.incarnation,
  },
  {
    promise: 'what is visible changes with the version, and the version with nothing else',
    holds: ({ old, now }) => (visible(old) === visible(now)) === (old.version === now.version),
  },
  {
    promise: 'I7: inside a generation the lease is never shortened',
    holds: ({ old, now }) =>
      old.generation !== now.generation || (now.leaseUntil ?? 0) >= (old.leaseUntil ?? 0),
  },
  {
    promise: 'a takeover waits until the lease is over by more than clocks differ',
    holds: ({ old, now, by }) =>
      by.kind !== 'claimer' ||
      old.status !== 'running' ||
      now.status !== 'running' ||
      old.leaseUntil + lengths.skew < by.now,
  },
  {
    promise: 'H7: no claim is granted once the cancellation was asked for',
    holds: ({ old, now, by }) =>
      by.kind !== 'claimer' || now.status !== 'running' || old.cancelRequestedAt === undefined,
  },
  {
    promise: 'H7: after the request an owner completes or is cancelled, nothing else',
    holds: ({ old, now, by }) =>
      by.kind !== 'owner' ||
      old.cancelRequestedAt === undefined ||
      ['running', 'succeeded', 'cancelled'].includes(now.status),
  },
  {
    promise: 'an operator who takes a running job away fences its owner by the generation',
    holds: ({ old, now, by }) =>
      by.kind !== 'operator' ||
      old.status !== 'running' ||
      now.status === 'running' ||
      now.generation === old.generation + 1,
  },
  {
    promise: 'I14: a claim shows no note of an earlier generation',
    holds: ({ old, now }) =>
      now.status !== 'running' || now.generation === old.generation || now.progress === undefined,
  },
  {
    promise: 'I15: the budgets count what happened',
    holds: (step) => sameCounts(step.now, expectedCounts(step)),
  },
  {
    promise: 'I5: a state that is announced comes with its event, and with no other',
    holds: ({ old, now }) => announced(old, now) === saidBy(old, now),
  },
  {
    promise: 'events are only ever added, and the doorbell rings for exactly those writes',
    holds: ({ old, now }) => {
      const added = now.events.slice(old.events.length);
      return (
        JSON.stringify(now.events.slice(0, old.events.length)) === JSON.stringify(old.events) &&
        added.every((event) => event.version === now.version) &&
        added.every((event) => event.generation === now.generation) &&
        now.news === (added.length === 0 ? undefined : now.lastN)
      );
    },
  },
  {
    promise: 'the numbers of a job’s events, over all and in each channel, have no gap',
    holds: ({ now }) => isGapFree(now),
  },
];

/** The promises that a change breaks. */
export const broken = (step: Step): readonly string[] =>
  rules.filter((rule) => !rule.holds(step)).map(({ promise }) => promise);

/** Whether the numbers of a row's events go 1, 2, 3 …, over all of them and in each channel. */
export function isGapFree({ events, lastN, sequences }: JobRow): boolean {
  const count = { commands: 0, events: 0 };
  const inOrder = events.every(
    (event, i) => event.n === i + 1 && event.sequence === ++count[event.channel],
  );
  return inOrder && lastN === events.length && JSON.stringify(sequences) === JSON.stringify(count);
}

export const isOver = ({ status }: JobRow): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

const by = ({ by: writer }: Step, kind: Writer['kind']): boolean => writer.kind === kind;

const isNextOrSame = (old: number, now: number): boolean => now === old || now === old + 1;

const isRetry = ({ old, now, by: writer }: Step): boolean =>
  writer.kind === 'operator' &&
  old.status === 'failed' &&
  now.status === 'queued' &&
  now.generation === old.generation + 1;

/** What a caller sees of a row, notes and leases apart. */
const visible = ({ status, generation, events, cancelRequestedAt }: JobRow): string =>
  JSON.stringify([status, generation, events.length, cancelRequestedAt]);

/** The event that a change of state has to bring. */
function announced(old: JobRow, now: JobRow): string {
  if (now.status !== old.status && isOver(now)) return `events ${now.kind}.${now.status}`;
  const isPutBack = now.status === 'queued' && now.generation === old.generation + 1;
  return isPutBack ? `commands ${now.kind}.run` : '';
}

const saidBy = (old: JobRow, now: JobRow): string =>
  now.events
    .slice(old.events.length)
    .map(({ channel, type }) => `${channel} ${type}`)
    .join();

type Counts = Pick<JobRow, 'failures' | 'takeovers' | 'releases'>;

function expectedCounts(step: Step): Counts {
  const { old, now, by: writer } = step;
  if (isRetry(step)) return { failures: 0, takeovers: 0, releases: 0 };
  const { failures, takeovers, releases } = old;
  const isTakeover = old.status === 'running' && now.status === 'running';
  const spends = writer.kind === 'owner' && now.status === 'queued' ? writer.spends : undefined;
  return {
    failures: failures + (spends === 'failures' ? 1 : 0),
    releases: releases + (spends === 'releases' ? 1 : 0),
    takeovers: takeovers + (isTakeover ? now.generation - old.generation : 0),
  };
}

const sameCounts = (now: JobRow, expected: Counts): boolean =>
  now.failures === expected.failures &&
  now.releases === expected.releases &&
  now.takeovers === expected.takeovers;
