import { isAcknowledged, type Outcome } from '../kernel/outcome.ts';
import type { Ordered } from './by-group.ts';

/** A message and how it ended. */
export interface Ended<M> {
  readonly message: M;
  readonly outcome: Outcome;
}

/** How a batch is run. */
export interface Running<M> {
  /** Groups side by side. */
  readonly concurrency: number;
  /** Whether a message may still be started. */
  mayStart(): boolean;
  /** Handles one message; never rejects. */
  one(message: M): Promise<Outcome>;
  /** Told as soon as a group has ended, with the outcome of each of its messages. */
  ended(group: readonly Ended<M>[]): void;
}

/** A batch on its way. */
export interface Run {
  /** Resolves when every group has ended. */
  readonly all: Promise<unknown>;
  /** Ends every group that was not begun, as out of time: for the moment from which nothing may start. */
  drain(): void;
}

/**
 * Runs groups side by side, the messages of one group one after another.
 *
 * The first outcome that isn't acknowledged ends the run of its group: what is behind it is held back, and no other group is
 * touched. What can't be started any more is out of time.
 */
export function runGroups<M extends Ordered & { readonly id: string }>(
  groups: readonly (readonly M[])[],
  running: Running<M>,
): Run {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let group = groups[next++]; group !== undefined; group = groups[next++])
      running.ended(await runInOrder(group, running));
  };
  const drain = (): void => {
    for (let group = groups[next++]; group !== undefined; group = groups[next++])
      running.ended(stopped(group, outOfTime));
  };
  const lanes = Math.min(running.concurrency, groups.length);
  return { all: Promise.all(Array.from({ length: lanes }, lane)), drain };
}

async function runInOrder<M extends Ordered & { readonly id: string }>(
  group: readonly M[],
  { mayStart, one }: Running<M>,
): Promise<readonly Ended<M>[]> {
  const done: Ended<M>[] = [];
  for (const message of group) {
    const outcome = mayStart() ? await one(message) : outOfTime;
    if (!isAcknowledged(outcome)) return [...done, ...stopped(group.slice(done.length), outcome)];
    done.push({ message, outcome });
  }
  return done;
}

/** A head whose outcome ends the run of its group, and all that is behind it. */
function stopped<M extends Ordered & { readonly id: string }>(
  [head, ...rest]: readonly M[],
  outcome: Outcome,
): readonly Ended<M>[] {
  if (head === undefined) return [];
  const behind = behindOf(head.id, outcome);
  return [{ message: head, outcome }, ...rest.map((message) => ({ message, outcome: behind }))];
}

const outOfTime: Outcome = { kind: 'out-of-time', behind: undefined };

const behindOf = (id: string, { kind }: Outcome): Outcome => ({
  kind: kind === 'out-of-time' ? 'out-of-time' : 'held-back',
  behind: id,
});
