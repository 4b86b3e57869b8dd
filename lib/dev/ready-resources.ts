import { checkResources } from '../aws/check-resources.ts';
import { findResources } from '../aws/find-resources.ts';
import { makeResources, type Resources } from '../aws/make-resources.ts';
import type { Failure } from '../kernel/failure.ts';
import { environment } from '../kernel/settings.ts';
import { functionsOf, type Lengths, labelOf, type Plan, queuesOf, timeoutOf } from './plan.ts';

/** Where a plan's resources are, and how they are called. */
export interface At {
  readonly endpoint: string;
  readonly prefix: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lengths: Lengths;
}

/**
 * The resources of a plan: those that the environment names, where it names any, else its own, made where they are
 * missing. All are looked at before anything runs behind them.
 *
 * @throws AggregateError with one Failure per thing that is wrong, each a sentence that names the resource and the remedy
 */
export async function readyResources(plan: Plan, at: At): Promise<Resources> {
  const { endpoint, env } = at;
  const resources = await (env[environment.tables] === undefined
    ? made(plan, at)
    : found(plan, at));
  const { tables, bucket, targets } = resources;
  const timeouts = Object.fromEntries(
    functionsOf(plan).map((fn) => [labelOf(fn), timeoutOf(fn, plan, at.lengths.timeout)]),
  );
  refuse(await checkResources({ endpoint, tables, bucket, targets, timeouts }));
  return resources;
}

/** A bucket that isn't there yet is no mistake; an endpoint that doesn't answer is one. */
async function made(plan: Plan, { endpoint, prefix, lengths }: At): Promise<Resources> {
  const bucket = `${prefix}-results`;
  const before = await checkResources({ endpoint, bucket, tables: {}, targets: {} });
  refuse(before.filter(({ code }) => code !== 'bucket-missing'));
  const queues = queuesOf(plan, lengths);
  return makeResources({ endpoint, prefix, tables: plan.tables, queues });
}

async function found(plan: Plan, { endpoint, env, lengths }: At): Promise<Resources> {
  refuse(await checkResources({ endpoint }));
  const names = queuesOf(plan, lengths).map(({ name }) => name);
  return findResources(endpoint, env, names);
}

function refuse(failures: readonly Failure[]): void {
  if (failures.length > 0)
    throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
}
