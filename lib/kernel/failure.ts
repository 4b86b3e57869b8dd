import type { Duration } from './brand.ts';

/** What must happen after a {@link Failure}: try the same again, set the message aside, or let the work go to its new owner. */
export type Remedy = 'try-again' | 'dead-letter' | 'let-go';

/** Facts for a person who reads a log line: flat, small, without secrets. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** What a thrower may add: facts for the log line, and what it was caused by. */
export interface Details {
  readonly facts?: Facts;
  readonly cause?: unknown;
}

/** What a {@link Failure} carries besides its code and its sentence. */
export interface FailureParts extends Details {
  readonly remedy: Remedy;
  /** When to try again, where the thrower knows better than the backoff. */
  readonly after?: Duration;
}

/**
 * The one error of this library: a stable code for machines, a lower-case sentence that shows the value and says what
 * would be right, and what to do next.
 *
 * Throw it through {@link permanent} or {@link transient}; tell it from other errors by {@link isFailure}.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly remedy: Remedy;
  readonly facts: Facts;
  /** When to try again, where the thrower knows better than the backoff. */
  readonly after?: Duration;

  constructor(code: string, sentence: string, parts: FailureParts) {
    super(sentence, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.remedy = parts.remedy;
    this.facts = parts.facts ?? {};
    if (parts.after !== undefined) this.after = parts.after;
  }
}

/**
 * Throw it when no retry can help: a job ends as `failed` at once, and a message isn't tried to its last attempt.
 *
 * @param code - stable and kebab-case, such as `negative-total`
 * @param sentence - lower case, shows the value and says what would be right
 */
export function permanent(code: string, sentence: string, details: Details = {}): Failure {
  return new Failure(code, sentence, { ...details, remedy: 'dead-letter' });
}

/**
 * Throw it when time may help: counted, and tried again after `after` or else the backoff. All that you throw
 * unclassified is treated like this.
 */
export function transient(
  code: string,
  sentence: string,
  details: Details & { readonly after?: Duration } = {},
): Failure {
  return new Failure(code, sentence, { ...details, remedy: 'try-again' });
}

/** Tells this library's {@link Failure} from every other thrown value, also across two copies of the library. */
export function isFailure(thrown: unknown): thrown is Failure {
  return (
    thrown instanceof Error && thrown.name === 'Failure' && 'code' in thrown && 'remedy' in thrown
  );
}
