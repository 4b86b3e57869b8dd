import type { Logger } from '@aws-lambda-powertools/logger';
import { lineOf, type Observe } from 'lanekeeper';

/** Tells a log of each failure and of what an operator counts, with `kind` at the top of the line, where filters look for it. */
export const failureLog =
  (log: Pick<Logger, 'warn'>): Observe =>
  (happening) => {
    const line = lineOf(happening);
    if (line !== undefined) log.warn({ message: line.kind, ...line });
  };
