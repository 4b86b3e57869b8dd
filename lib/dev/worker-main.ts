import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Context } from 'aws-lambda';
import { onAws } from '../aws/on-aws.ts';
import type { Config } from '../handler/define-config.ts';
import { jobHandler } from '../handler/job-handler.ts';
import { realClock } from '../handler/real-clock.ts';
import { relayHandler } from '../handler/relay-handler.ts';
import { sweepHandler } from '../handler/sweep-handler.ts';
import { isFailure, permanent } from '../kernel/failure.ts';
import { lambdaContext } from '../local/lambda-context.ts';
import type { World } from '../ports/world.ts';
import { loadConfig } from './load-config.ts';
import type { Call, Reply } from './parcel.ts';
import { type Fn, planOf } from './plan.ts';

/**
 * A worker process: loads the project's config, becomes one of its functions, and runs one invocation after the other as
 * its parent asks. It ends with its parent, and may be killed at any moment.
 */

type Run = (event: never, context: Context) => Promise<unknown>;

const [file = '', role = '', name = ''] = process.argv.slice(2);

const tell = (reply: Reply): void => void process.send?.(reply);

/** Whatever it is: an error's stack is what its code made of it, and some objects are no text. */
/** A stack tells where a project's own code went wrong; a failure's sentence says all by itself. */
function said(thrown: unknown): string {
  if (isFailure(thrown)) return `${thrown.code}: ${thrown.message}`;
  return thrown instanceof Error && typeof thrown.stack === 'string'
    ? thrown.stack
    : inspected(thrown);
}

const inspected = (thrown: unknown): string =>
  typeof thrown === 'string' ? thrown : inspect(thrown);

function handlerOf(config: Config, { role, name }: Fn, world: World): Run {
  const { jobs = [], consumers = {}, queues = {} } = config;
  const job = jobs.find((one) => one.name === name);
  if (role === 'relay') return relayHandler(world);
  if (role === 'sweeper') return sweepHandler(world);
  if (role === 'commands' && job !== undefined) return jobHandler(job, world);
  const make = role === 'consumer' ? consumers[name] : queues[name];
  if (make !== undefined) return make(world);
  throw permanent('config-invalid', `the config has no ${role} called "${name}" any more`);
}

function contextOf({ requestId, deadline }: Call): Context {
  const told = { name, requestId, logStreamName: String(process.pid) };
  return lambdaContext(told, () => Math.max(0, deadline - realClock.now()));
}

/** A function whose response can't be JSON has failed, as on Lambda. */
function tellAnswer(reply: Reply & { readonly id: number }): void {
  try {
    tell(reply);
  } catch (thrown) {
    tell({ kind: 'threw', id: reply.id, why: `its response can't be JSON: ${said(thrown)}` });
  }
}

async function answered(run: Run, call: Call): Promise<Reply & { readonly id: number }> {
  try {
    const response = await run(call.event as never, contextOf(call));
    return { kind: 'answered', id: call.id, response };
  } catch (thrown) {
    return { kind: 'threw', id: call.id, why: said(thrown) };
  }
}

async function begin(): Promise<void> {
  const config = await loadConfig(pathToFileURL(file));
  const plan = planOf(config);
  if (role !== 'plan') {
    const run = handlerOf(config, { role: role as Fn['role'], name }, onAws());
    process.on('message', (call: Call) => void answered(run, call).then(tellAnswer));
  }
  tell({ kind: 'ready', plan });
}

// Its parent decides when it ends: a Ctrl-C reaches both.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
await begin().catch((thrown: unknown) => {
  tell({ kind: 'broken', why: said(thrown) });
  process.disconnect?.();
});
