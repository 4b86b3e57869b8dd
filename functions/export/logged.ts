import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Handler } from 'lanekeeper';

/** The handler, with the invocation in each of its log lines: request id, function, cold start; never the event. */
export function logged<Event, Response>(
  log: Logger,
  handler: Handler<Event, Response>,
): Handler<Event, Response> {
  // 5 ms before the end middy would throw the response away; the handler answers in time by itself.
  const wrapped = middy<Event, Response>(handler, { timeoutEarlyInMillis: 0 })
    // Said here, `false` beats POWERTOOLS_LOGGER_LOG_EVENT.
    .use(injectLambdaContext(log, { logEvent: false }));
  return async (event, context) => wrapped(event, context);
}
