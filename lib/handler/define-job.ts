import type { Candidate } from '../candidate/candidate.ts';
import type { Bytes } from '../candidate/encoded.ts';
import type { OwnLimits } from '../kernel/bounds.ts';
import type { brand, Duration, GroupId, JobId } from '../kernel/brand.ts';
import { Failure } from '../kernel/failure.ts';
import type { Json, Jsonable } from '../kernel/json.ts';
import type { Schema } from '../kernel/schema.ts';
import { lengths } from '../kernel/settings.ts';
import type { Write } from '../ports/store.ts';
import type { JobAnswer } from './answer.ts';
import type { Turn } from './turn.ts';

/** Phantom: carries a job's types and never exists. */
declare const types: unique symbol;

/** Which job, and whose turn it is: `generation` rises with every claim; hand it to systems that can refuse an older number. */
export interface JobHead {
  readonly id: JobId;
  readonly intentId: string;
  readonly groupId: GroupId;
  readonly generation: number;
}

/** A kind of job: a value without AWS, shared by worker, caller, consumer and infra. */
export interface Job<Name extends string = string, In = unknown, Data = unknown> {
  readonly name: Name;
  readonly limits: Required<JobLimits>;
  readonly [brand]: 'job';
  readonly [types]?: { readonly in: In; readonly data: Data };
}

/** Budgets that never pay for each other; a job that has spent one ends as `failed`. */
export interface JobLimits {
  /** Failures of your code. @default 4 */
  readonly failures?: number;
  /** Owners that fell silent; they wear a job out only when an hour lies between the first and now. @default 5 */
  readonly takeovers?: number;
  /** Times put back by `retryLater`, abort or shutdown. @default 100 */
  readonly releases?: number;
  /** Bounds one run. @default minutes(15), Lambda's own limit */
  readonly attempt?: Duration;
}

/** What a caller wants: `intentId` is the caller's own id for it, and the same one twice is one job. */
export interface Request<In> {
  readonly intentId: string;
  readonly input: In;
  /** @default the kind's own `group`, or else the job's id */
  readonly groupId?: string;
}

/** A claimed job, the only place from which it can be completed; closed by the first answer that says it was superseded. */
export interface Attempt<In> extends JobHead, Turn {
  readonly input: In;
  /** The same in every attempt: for systems that take an idempotency key. */
  readonly key: string;
  /**
   * Streams to a key that no other attempt shares, in bounded memory, overwriting nothing.
   *
   * @param name - 1 to 128 letters, digits, dots, dashes or underscores, once per attempt
   * @throws Failure `superseded` or `attempt-closed` once the work is lost or the turn has ended
   */
  write(
    name: string,
    from: Bytes | AsyncIterable<Bytes>,
    as: { readonly contentType: string },
  ): Promise<Candidate>;
  /**
   * Shows a note until the next claim; best effort, at most one write a second, and its loss is no error.
   *
   * @throws Failure `progress-too-large` for a note above 4 KB, `not-json` for one that JSON can't carry
   */
  progress(note: Json): Promise<void>;
  /** The next job, as writes for `alongside`: it exists if and only if this one succeeds. @throws Failure as `submit` refuses */
  next<NextIn>(
    job: Job<string, NextIn>,
    request: Request<NoInfer<NextIn>>,
  ): Promise<readonly Write[]>;
}

/** What a kind of job is made of. */
export interface JobSettings<Name extends string, In, Out, Data> {
  /** 1 to 64 letters, digits and dashes; also the prefix of its event types, as in `export.succeeded`. */
  readonly name: Name;
  /** Checked at submit and again in the worker, both times from the JSON that was submitted. */
  readonly input: Schema<In, Out> &
    ([In] extends [Jsonable<In>] ? unknown : 'a job input must survive JSON');
  /** Jobs of one group run one at a time, in no order that is promised, see `order`. @default the job's own id: all run side by side */
  readonly group?: (input: In) => string;
  /**
   * `submission`: jobs of one group run in the order in which their submissions were committed; a submission costs
   * twice its write units and two more, and each group one small row that stays. It wants groups that jobs share. An operator's retry or release, and what reconcile sends again, comes behind. @default no order between jobs
   */
  readonly order?: 'submission';
  /** @default see {@link JobLimits} */
  readonly limits?: JobLimits;
  /**
   * Finish instead of redo: the attempt leaves `manifest.json` beside its result directly before it completes, and where
   * it falls silent then, the next claim commits what it had finished. For jobs that cost much to run again: one more
   * object, and a sweep, per job; not together with `alongside`. @default false
   */
  readonly finish?: boolean;
  /** One attempt at the job. Whatever it throws is read as a failure, an outage or, after its signal, as giving up. */
  run(job: Attempt<Out>): Promise<JobAnswer<Data>>;
}

/** A job with what its definition hides from callers. */
export type DefinedJob = Job & {
  readonly input: Schema<unknown, unknown>;
  readonly group: ((input: unknown) => string) | undefined;
  readonly order: 'submission' | undefined;
  readonly finish: boolean;
  readonly run: (job: Attempt<unknown>) => Promise<unknown>;
};

/**
 * Defines a kind of job: what its input is, and what an attempt does.
 *
 * @throws Failure `job-name-invalid`, `job-limit-invalid`, `job-input-invalid`, `job-order-invalid` or `job-code-invalid`, which show the value
 * @example
 * export const greet = defineJob({
 *   name: 'greet',
 *   input: v.object({ name: v.string() }),
 *   async run(job) {
 *     const file = await job.write('hello.txt', `hello ${job.input.name}`, { contentType: 'text/plain' });
 *     return complete({ result: file, data: { letters: job.input.name.length } });
 *   },
 * });
 */
export function defineJob<const Name extends string, In, Out, Data>(
  settings: JobSettings<Name, In, Out, Data>,
): Job<Name, In, Data> {
  const limits = { ...defaults, ...settings.limits };
  const { name, input, group, order, finish = false, run } = settings;
  checkName(name);
  checkLimits(name, limits);
  checkParts(name, settings);
  const job = { name, limits, input, group, order, finish, run: run.bind(settings) };
  return Object.freeze(job) as unknown as Job<Name, In, Data>;
}

/** What {@link defineJob} keeps to itself. @throws Failure `job-not-defined` for a look-alike */
export function definition(job: Job): DefinedJob {
  const defined = job as DefinedJob;
  if (typeof defined?.run === 'function' && defined.input?.['~standard'] !== undefined)
    return defined;
  throw bad('job-not-defined', `a job comes from defineJob(…), got ${typeof job}`);
}

/** The same job, with something around its code. */
export function withRun(
  job: DefinedJob,
  around: (
    attempt: Attempt<unknown>,
    run: (attempt: Attempt<unknown>) => Promise<unknown>,
  ) => Promise<unknown>,
): Job {
  const wrapped = { ...job, run: (it: Attempt<unknown>) => around(it, job.run) };
  return Object.freeze(wrapped) as unknown as Job;
}

const defaults: Required<JobLimits> = {
  failures: 4,
  takeovers: 5,
  releases: 100,
  attempt: lengths.longestInvocation,
};

/** A job's limits; an attempt as long as Lambda allows is one that nobody has set. */
export const ownLimits = ({ limits }: Job): OwnLimits => ({
  ...limits,
  attempt: limits.attempt === defaults.attempt ? undefined : limits.attempt,
});

function checkName(name: string): void {
  if (typeof name === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(name)) return;
  throw bad(
    'job-name-invalid',
    `a job's name has 1 to 64 letters, digits and dashes, got ${JSON.stringify(name) ?? typeof name}`,
  );
}

function checkLimits(name: string, limits: Required<JobLimits>): void {
  for (const field of ['failures', 'takeovers', 'releases'] as const) {
    const value = limits[field];
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw bad(
      'job-limit-invalid',
      `limits.${field} of job "${name}" is a whole number from 1 on, got ${value}`,
    );
  }
  if (Number.isFinite(limits.attempt) && limits.attempt > 0 && limits.attempt <= defaults.attempt)
    return;
  throw bad(
    'job-limit-invalid',
    `limits.attempt of job "${name}" lies above 0 and is at most 15 minutes, Lambda's own limit, got ${limits.attempt} ms`,
  );
}

function checkParts(
  name: string,
  {
    input,
    group,
    order,
    run,
  }: {
    readonly input: unknown;
    readonly group?: unknown;
    readonly order?: unknown;
    readonly run: unknown;
  },
): void {
  if (typeof Object(input)['~standard']?.validate !== 'function')
    throw bad(
      'job-input-invalid',
      `the input of job "${name}" is a Standard Schema, got ${typeof input}`,
    );
  if (typeof run !== 'function')
    throw bad('job-code-invalid', `run of job "${name}" is a function, got ${typeof run}`);
  if (order !== undefined && order !== 'submission')
    throw bad(
      'job-order-invalid',
      `order of job "${name}" is 'submission' or left out, got ${JSON.stringify(order)}`,
    );
  if (group !== undefined && typeof group !== 'function')
    throw bad('job-code-invalid', `group of job "${name}" is a function, got ${typeof group}`);
}

const bad = (code: string, sentence: string): Failure =>
  new Failure(code, sentence, { remedy: 'dead-letter' });
