import { type Failure, permanent } from '../kernel/failure.ts';
import type { Shell } from './shell.ts';

/** Done, or could not be done for a reason that was printed. */
export type Ended = 'done' | 'not-done';

/** One command of the binary. */
export interface Command {
  /** One word or two, such as `jobs list`. */
  readonly name: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** Its arguments and flags, for people. */
  readonly usage: string;
  /** @throws Failure `usage-wrong` for arguments that it can't take, any other for what could not be done */
  run(shell: Shell): Promise<Ended>;
}

/** The command was given something that it can't take; `sentence` says what it takes. */
export const misused = (sentence: string, cause?: unknown): Failure =>
  permanent('usage-wrong', sentence, { cause });
