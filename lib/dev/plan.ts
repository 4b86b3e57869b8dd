import type { WantedQueue } from '../aws/make-resources.ts';
import type { Config } from '../handler/define-config.ts';
import type { Duration } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { targets } from '../kernel/settings.ts';
import { minutes, seconds, sum, times } from '../kernel/time.ts';

/** What a config asks for, as plain data: it crosses from the process that loads the project's code to the one that runs it. */
export interface Plan {
  readonly jobs: readonly { readonly name: string; readonly attempt: Duration }[];
  readonly consumers: readonly string[];
  readonly queues: readonly string[];
  readonly tables: readonly string[];
}

/** One function of a plan. */
export interface Fn {
  readonly role: 'commands' | 'consumer' | 'own' | 'relay' | 'sweeper';
  /** The job's, consumer's or queue's name; the role itself for relay and sweeper. */
  readonly name: string;
}

/** Reads a config. @throws Failure `config-invalid` where it can't be right */
export function planOf(config: Config): Plan {
  const { jobs = [], consumers = {}, queues = {}, tables = [] } = config;
  const plan: Plan = {
    jobs: jobs.map(({ name, limits }) => ({ name, attempt: limits.attempt })),
    consumers: Object.keys(consumers),
    queues: Object.keys(queues),
    tables,
  };
  checkPlan(plan);
  return plan;
}

/** What a queue's name may be beside its ending, with room for a prefix and `-dead` within SQS's 80 letters. */
const queueName = /^[A-Za-z0-9_-]{1,48}$/;

function checkPlan({ jobs, consumers, queues }: Plan): void {
  const names = [
    ...jobs.map(({ name }) => targets.commands(name)),
    ...consumers,
    ...queues.map((name) => name.replace(/\.fifo$/, '')),
  ];
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw permanent('config-invalid', `two queues of the config are called "${twice}"`);
  const odd = [...consumers, ...queues.map((name) => name.replace(/\.fifo$/, ''))].find(
    (name) => !queueName.test(name),
  );
  if (odd !== undefined)
    throw permanent(
      'config-invalid',
      `a queue is named by 1 to 48 letters, digits, dashes and underscores, got "${odd}"`,
    );
  if (names.length === 0)
    throw permanent('config-invalid', 'the config names no job, no consumer and no queue');
}

/** All functions of a plan: relay and sweeper where there is a job. */
export const functionsOf = ({ jobs, consumers, queues }: Plan): readonly Fn[] => [
  ...jobs.map(({ name }) => ({ role: 'commands' as const, name })),
  ...consumers.map((name) => ({ role: 'consumer' as const, name })),
  ...queues.map((name) => ({ role: 'own' as const, name })),
  ...(jobs.length === 0
    ? []
    : [
        { role: 'relay' as const, name: 'relay' },
        { role: 'sweeper' as const, name: 'sweeper' },
      ]),
];

/** How long functions may run and queues hide messages. */
export interface Lengths {
  readonly timeout: Duration;
  /** @default six times the function's timeout, as infra does */
  readonly visibility?: Duration;
}

/** How often a message is received at most before its queue sets it aside: the last net, since handlers count failures. */
const maxReceiveCount = 1_000;

/** The queues of a plan's functions. */
export const queuesOf = (plan: Plan, { timeout, visibility }: Lengths): readonly WantedQueue[] =>
  functionsOf(plan).flatMap((fn) => {
    if (fn.role === 'relay' || fn.role === 'sweeper') return [];
    const { role } = fn;
    return [
      {
        name: queueNameOf(fn),
        role,
        visibilityTimeout: visibility ?? times(timeoutOf(fn, plan, timeout), 6),
        maxReceiveCount,
      },
    ];
  });

/** How long a function may run: as usual, or as long as one attempt of its job may if that was set, and the margin. */
export function timeoutOf({ role, name }: Fn, { jobs }: Plan, usual: Duration): Duration {
  const attempt = jobs.find((job) => job.name === name)?.attempt;
  if (role !== 'commands' || attempt === undefined || attempt === minutes(15)) return usual;
  return Math.min(minutes(15), Math.max(usual, sum(attempt, seconds(5)))) as Duration;
}

/** How a function is called. */
export const labelOf = ({ role, name }: Fn): string =>
  role === 'commands' ? targets.commands(name) : name;

/** The queue that a function reads. */
export const queueNameOf = (fn: Fn): string =>
  fn.role === 'own' ? fn.name : `${labelOf(fn)}.fifo`;
