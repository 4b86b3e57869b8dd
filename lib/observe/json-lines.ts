import type { Happening } from '../kernel/happening.ts';
import { lineOf } from './line-of.ts';

/** Takes one line of text. */
export type Print = (line: string) => void;

/** One line of JSON for each happening that a log must hold, so that no failure is silent. */
export const jsonLines =
  (print: Print) =>
  (happening: Happening): void => {
    const line = lineOf(happening);
    if (line !== undefined) print(JSON.stringify(line));
  };
