import type { Logger } from '@aws-lambda-powertools/logger';
import type { Observe } from 'lanekeeper';

/** Tells a log whatever happens with a failure: where, its code and its sentence; never a body, nor what was thrown. */
export const failureLog =
  (log: Pick<Logger, 'warn'>): Observe =>
  (happening) => {
    if (!('failure' in happening)) return;
    const { kind, failure, ...where } = happening;
    const { code, message, facts } = failure;
    log.warn(kind, { ...where, code, sentence: message, facts });
  };
