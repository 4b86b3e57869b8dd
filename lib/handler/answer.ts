import type { Candidate } from '../candidate/candidate.ts';
import type { brand, Duration } from '../kernel/brand.ts';
import { type Details, type Failure, permanent } from '../kernel/failure.ts';
import type { Jsonable } from '../kernel/json.ts';
import { lengths } from '../kernel/settings.ts';
import { spoken } from '../kernel/time.ts';
import type { Write } from '../ports/store.ts';

/** What user code ends with; made by {@link done}, {@link complete}, {@link fail} and {@link retryLater} alone. */
export interface Answered<Kind extends string> {
  readonly kind: Kind;
  readonly [brand]: 'answer';
}

/** The answer of {@link complete}. */
export interface Completed<Data> extends Answered<'complete'> {
  readonly data: Data;
  readonly result?: Candidate;
  readonly alongside?: readonly Write[];
}

/** The answer of {@link fail}. */
export interface Failed extends Answered<'fail'> {
  readonly failure: Failure;
}

/** The answer of {@link retryLater}. */
export interface PutOff extends Answered<'retry-later'> {
  readonly after: Duration;
  readonly because?: string;
}

/** How a handler without a world ends. */
export type PlainAnswer = Answered<'done'>;

/** The answer of {@link done} with writes. */
export interface DoneWithWrites extends Answered<'done-with-writes'> {
  readonly writes: readonly Write[];
}

/** How a handler with a world ends. */
export type MessageAnswer = Answered<'done'> | DoneWithWrites | PutOff;

/** How an attempt at a job ends. */
export type JobAnswer<Data> = Completed<Data> | Failed | PutOff;

/**
 * The message is handled. With `writes` (at most 97, which takes a world) they happen in one commit with the message's inbox
 * entry, so never twice; a condition of theirs that doesn't hold is a failure that counts.
 *
 * @throws Failure `writes-invalid` for anything but a list
 */
export function done(): PlainAnswer;
export function done(settings: { readonly writes: readonly Write[] }): DoneWithWrites;
export function done(settings?: {
  readonly writes: readonly Write[];
}): PlainAnswer | DoneWithWrites {
  if (settings === undefined) return answer<PlainAnswer>({ kind: 'done' });
  const writes: unknown = settings.writes;
  if (Array.isArray(writes)) return answer<DoneWithWrites>({ kind: 'done-with-writes', writes });
  throw permanent('writes-invalid', `done takes writes as a list, got ${typeof writes}`);
}

/**
 * The job succeeded: one commit promotes `result`, records `data` (at most 64 KB as JSON) in its event and does
 * `alongside` (at most 99 writes).
 */
export const complete = <Data = undefined>(
  what: {
    readonly result?: Candidate;
    readonly data?: Data & Jsonable<Data>;
    readonly alongside?: readonly Write[];
  } = {},
): Completed<Data> => answer({ ...what, kind: 'complete' });

/** The job failed for good, and its event says so; the same end as throwing {@link permanent}. */
export const fail = (code: string, sentence: string, details: Details = {}): Failed =>
  answer({ kind: 'fail', failure: permanent(code, sentence, details) });

/**
 * Not now: the group waits, in order, and no attempt is counted. SQS counts its 12 hours from the receive, so a wait
 * close to them ends up to 15 minutes early, and the message may ask again.
 *
 * @throws Failure `retry-too-late` above 12 hours, the longest that SQS hides a message
 */
export function retryLater(settings: {
  readonly after: Duration;
  readonly because?: string;
}): PutOff {
  if (settings.after <= lengths.longestHiding) return answer({ ...settings, kind: 'retry-later' });
  throw permanent(
    'retry-too-late',
    `SQS hides a message for at most 12 hours, got ${spoken(settings.after)}: end the message and start the rest of the work from a schedule`,
  );
}

/** The mark of every answer, the same in each copy of this library; a copied object doesn't carry it. */
const mark = Symbol.for('lanekeeper.answer');

/** The only place where an answer gets its mark. */
const answer = <A extends Answered<string>>(plain: object): A =>
  Object.freeze(Object.defineProperty(plain, mark, { value: true })) as A;

/** Whether user code ended by an answer of one of these kinds; an object that merely looks like one is none. */
export const isAnswer = <A extends Answered<string>>(
  value: unknown,
  kinds: readonly A['kind'][],
): value is A => isMarked(value) && kinds.includes(value.kind);

const isMarked = (value: unknown): value is Answered<string> =>
  typeof value === 'object' && value !== null && mark in value;

/** The failure of user code that ended without a right answer; it says what came, but never its content. */
export const noAnswer = (right: string, value: unknown): Failure =>
  permanent('no-answer', `${right}, got ${called(value)}`);

function called(value: unknown): string {
  if (isMarked(value)) return `the answer "${value.kind}"`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object that none of them made';
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
