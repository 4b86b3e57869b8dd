import type { Failure } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { tables } from '../kernel/settings.ts';
import type { Write } from '../ports/store.ts';
import { backoff, soon } from '../retry/backoff.ts';
import { classified } from '../retry/classified.ts';
import { countedFailure, failuresIn, failuresKey } from '../retry/failure-count.ts';
import type { MessageAnswer } from './answer.ts';
import type { Care } from './care.ts';
import type { Message } from './message.ts';
import type { InTurn } from './parking.ts';
import { queueOf } from './place-of.ts';
import { overrun, type Ran, ran } from './ran.ts';
import { receivesOf } from './received.ts';
import { settled } from './remembering.ts';
import { surely } from './surely.ts';
import type { OpenTurn } from './turn.ts';
import { heldBack, outageWait, trouble } from './waiting.ts';

/** What the handler's own code came to, and the message as it saw it: with its body read. */
export interface Handled {
  /** Undefined for a message that the code never saw, or that it must wait for. */
  readonly answer?: MessageAnswer;
  readonly message: Message<unknown>;
  /** What came instead of an answer: nobody's concern, or what it waits for, uncounted, as long as the cap. @default it's a repeat */
  readonly instead?: 'ignored' | Failure;
}

/** Reads a message's body, asks the inbox, and runs the handler's own code. */
export type Handle = (message: Message<string>, turn: OpenTurn) => Promise<Handled>;

/** What becomes of a message that no retry can help. */
export type OnPoison = (at: InTurn, failure: Failure) => Promise<Outcome>;

/** Handles one message: its failures are counted, its writes happen once, and what no retry can help is given to `onPoison`. */
export async function cared(
  care: Care,
  at: InTurn,
  by: { readonly handle: Handle; readonly onPoison: OnPoison },
): Promise<Outcome> {
  const { turn } = at;
  const seen = await failuresSeen(care, at.message);
  const attempt = seen === undefined ? at.message.attempt : seen + 1;
  const message = { ...at.message, attempt };
  const failed = (thrown: unknown) =>
    afterFailure(care, { message, turn, seen }, { thrown, onPoison: by.onPoison });
  try {
    const code = await ran(turn, () => by.handle(message, turn));
    if (code.kind !== 'answered') return await failed(thrownBy(code));
    const { answer, instead } = code.answer;
    if (answer === undefined) return unanswered(care, instead);
    if (answer.kind === 'retry-later') return heldBack(answer.after);
    const ends = { message: code.answer.message, turn, before: [], writes: writesOf(answer) };
    const end = await settled(care, ends);
    if (end.kind === 'refused') return await failed(end.failure);
    if (end.kind !== 'repeated') return { kind: 'done' };
    care.onRepeat?.(code.answer.message);
    return { kind: 'done', repeated: true };
  } catch (thrown) {
    return troubled(care, message, thrown);
  }
}

/** How a message ends that has no answer. What waits for something is neither counted nor set aside. */
export function unanswered({ retry }: Care, instead: Handled['instead']): Outcome {
  if (instead === undefined) return { kind: 'done', repeated: true };
  if (instead === 'ignored') return { kind: 'done' };
  return { kind: 'failed', failure: instead, wait: retry.cap };
}

/** What user code threw, or that it overran. */
const thrownBy = (code: Exclude<Ran<unknown>, { readonly kind: 'answered' }>): unknown =>
  code.kind === 'threw' ? code.thrown : overrun();

/** The writes of an answer that calls a message done. */
export const writesOf = (
  answer: Exclude<MessageAnswer, { readonly kind: 'retry-later' }>,
): readonly Write[] => (answer.kind === 'done-with-writes' ? answer.writes : []);

/** Trouble with our own calls, of which the user's own reading is not asked. */
export const troubled = (
  { world, retry: { cap } }: Care,
  message: Message<string>,
  thrown: unknown,
): Outcome => trouble({ world, retry: { cap } }, message, thrown);

interface Failing extends InTurn {
  readonly seen: number | undefined;
}

async function afterFailure(
  care: Care,
  at: Failing,
  by: { readonly thrown: unknown; readonly onPoison: OnPoison },
): Promise<Outcome> {
  const { retry, world } = care;
  const { kind, failure } = classified(by.thrown, retry.classify);
  if (kind === 'outage') return { kind: 'failed', failure, wait: outageWait(world, at.message) };
  if (failure.remedy === 'let-go') return { kind: 'failed', failure, wait: soon };
  if (failure.remedy === 'dead-letter') return by.onPoison(at, failure);
  const attempt = await countedAttempt(care, at, failure);
  if (attempt !== undefined && attempt >= retry.maxAttempts) return by.onPoison(at, failure);
  const wait = failure.after ?? backoff(attempt ?? at.message.attempt, retry, world.random);
  return { kind: 'failed', failure, wait, ...(attempt === undefined ? {} : { attempt }) };
}

/** How often a message has failed before. A first receive needs no look; one that can't be had counts nothing this time. */
async function failuresSeen(care: Care, message: Message<string>): Promise<number | undefined> {
  if (care.counts === undefined) return undefined;
  if (receivesOf(message.record) === 1) return 0;
  try {
    const key = failuresKey(queueOf(message), message.id);
    return failuresIn(await care.counts.read(tables.care, key));
  } catch {
    return undefined;
  }
}

/** Counts a failure. If the write fails it did not count, which is undefined; without a store SQS's receives stand in. */
async function countedAttempt(
  { counts, world }: Care,
  { message, seen, turn }: Failing,
  failure: Failure,
): Promise<number | undefined> {
  if (counts === undefined) return receivesOf(message.record);
  if (seen === undefined) return undefined;
  const key = failuresKey(queueOf(message), message.id);
  const write = countedFailure(key, seen, { failure, at: world.clock.now() });
  try {
    const commit = await surely(world, [write], turn.invocation);
    if (commit.kind === 'unknown') return undefined;
    // A repeat of this write after a lost reply, or a worker beside this one: counted once.
    return commit.kind === 'committed' ? seen + 1 : Math.max(seen + 1, failuresIn(commit.old));
  } catch {
    return undefined;
  }
}
