import type { Happening } from '../kernel/happening.ts';

/** Takes one line of text. */
export type Print = (line: string) => void;

/** One JSON line for each happening that carries a failure, so that none is silent; never a body, nor what was thrown. */
export const failureLines =
  (print: Print) =>
  (happening: Happening): void => {
    if (!('failure' in happening)) return;
    const { failure, ...rest } = happening;
    const { code, message, facts } = failure;
    print(JSON.stringify({ ...rest, code, message, facts }));
  };
