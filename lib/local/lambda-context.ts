import type { Context } from 'aws-lambda';

/** What a function is told of itself off Lambda: its name, the invocation's request, and where its log would be. */
interface Told {
  readonly name: string;
  readonly requestId: string;
  readonly logStreamName: string;
}

/** A context such as Lambda gives; `remaining` says how many milliseconds are left. */
export const lambdaContext = (
  { name, requestId, logStreamName }: Told,
  remaining: () => number,
): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: name,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
  memoryLimitInMB: '512',
  awsRequestId: requestId,
  logGroupName: `/aws/lambda/${name}`,
  logStreamName,
  getRemainingTimeInMillis: remaining,
  done() {},
  fail() {},
  succeed() {},
});
