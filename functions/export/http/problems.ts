import type { Logger } from '@aws-lambda-powertools/logger';
import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { isFailure } from 'lanekeeper';
import { problemOf, unexpected } from './problem.ts';

/** Where trouble of our own is written down. */
export type TroubleLog = Pick<Logger, 'error'>;

/** Answers whatever was thrown by a problem document; trouble of our own is logged, once, and shows callers nothing of itself. */
export const problems = (
  log: TroubleLog,
): middy.MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> => ({
  onError(request) {
    const thrown: unknown = request.error;
    const problem = isFailure(thrown) ? problemOf(thrown) : undefined;
    request.response = problem ?? unexpected(request.context.awsRequestId);
    if ((request.response.statusCode ?? 500) >= 500) log.error('request failed', written(thrown));
  },
});

/** Not the error itself: what AWS throws may carry a whole row, and with it what a caller sent. */
function written(thrown: unknown): { readonly thrown: Readonly<Record<string, unknown>> } {
  if (!(thrown instanceof Error)) return { thrown: { name: typeof thrown } };
  const { name, message, stack } = thrown;
  return { thrown: { name, message, stack, ...(isFailure(thrown) ? { code: thrown.code } : {}) } };
}
