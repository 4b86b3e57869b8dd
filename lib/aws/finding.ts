import { type Failure, isFailure } from '../kernel/failure.ts';

/** Something that is wrong, or that somebody should look at: one sentence with the value and the remedy. */
export interface Finding {
  readonly level: 'error' | 'warning';
  readonly code: string;
  readonly sentence: string;
}

/** A failure that keeps something from working. */
export const error = ({ code, message }: Failure): Finding => ({
  level: 'error',
  code,
  sentence: message,
});

/** A failure that may be meant, or pass by itself. */
export const warning = (failure: Failure): Finding => ({ ...error(failure), level: 'warning' });

/** A failure that ended a look is what the look found. */
export function onlyError(thrown: unknown): readonly Finding[] {
  if (isFailure(thrown)) return [error(thrown)];
  throw thrown;
}
