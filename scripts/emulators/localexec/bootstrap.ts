import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** Lambda's runtime for one Node function: a request is a line of standard input, an answer a line of the pipe that is named. */
const answers = Number(process.argv[2]);
const root = process.env['LAMBDA_TASK_ROOT'] ?? '';

/** One invocation. */
interface Request {
  readonly id: string;
  readonly arn: string;
  /** The event, as JSON. */
  readonly payload: string;
  readonly trace: string;
  /** When it is timed out, in milliseconds of the epoch. */
  readonly deadline: number;
}

type Handler = (event: unknown, context: unknown) => unknown;

const answer = (said: unknown): unknown => writeSync(answers, `${JSON.stringify(said)}\n`);

/** An error as Lambda tells it. */
const told = (thrown: unknown) => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return {
    errorType: error.name,
    errorMessage: error.message,
    trace: (error.stack ?? '').split('\n'),
  };
};

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

async function loaded(): Promise<Handler> {
  const wanted = process.env['_HANDLER'] ?? '';
  const dot = wanted.lastIndexOf('.');
  const [file, name] = [wanted.slice(0, dot), wanted.slice(dot + 1)];
  const path = ['.js', '.mjs', '.cjs'].map((ending) => join(root, file + ending)).find(existsSync);
  if (path === undefined) throw named('Runtime.ImportModuleError', `Cannot find module '${file}'`);
  const module = await import(pathToFileURL(path).href);
  const handler: unknown = module[name] ?? module.default?.[name];
  if (typeof handler !== 'function')
    throw named('Runtime.HandlerNotFound', `${wanted} is undefined or not exported`);
  return (event, context) => handler(event, context);
}

const contextOf = ({ id, arn, deadline }: Request) => ({
  awsRequestId: id,
  invokedFunctionArn: arn,
  functionName: process.env['AWS_LAMBDA_FUNCTION_NAME'],
  functionVersion: process.env['AWS_LAMBDA_FUNCTION_VERSION'],
  memoryLimitInMB: process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
  logGroupName: process.env['AWS_LAMBDA_LOG_GROUP_NAME'],
  logStreamName: process.env['AWS_LAMBDA_LOG_STREAM_NAME'],
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

async function invoked(handler: Handler, request: Request): Promise<void> {
  process.env['_X_AMZN_TRACE_ID'] = request.trace;
  try {
    const returned = await handler(JSON.parse(request.payload), contextOf(request));
    answer({ kind: 'returned', body: JSON.stringify(returned ?? null) });
  } catch (thrown) {
    console.error(thrown);
    answer({ kind: 'threw', body: JSON.stringify(told(thrown)) });
  }
}

const handler = await loaded().catch((thrown: unknown) => {
  answer({ kind: 'failed', error: told(thrown) });
  process.exit(1);
});
answer({ kind: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  await invoked(handler, JSON.parse(line));
}
process.exit(0);
