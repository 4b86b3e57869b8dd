import { jobOf, keyOf } from '../job/job.ts';
import { jobId } from '../job/job-id.ts';
import { type SubmitAnswer, submissionWrites, submitAnswer } from '../job/submit.ts';
import type { Duration } from '../kernel/brand.ts';
import { type Failure, isFailure, permanent, transient } from '../kernel/failure.ts';
import { never } from '../kernel/never.ts';
import { tables } from '../kernel/settings.ts';
import { minutes } from '../kernel/time.ts';
import type { Write } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { askJob, type Changed } from './ask-job.ts';
import type { Job, Request } from './define-job.ts';
import { type JobView, jobView, type Result, resultOf } from './job-view.ts';
import { newerRow } from './newer-row.ts';
import { quiet } from './quiet.ts';
import { submissionOf } from './submission-of.ts';
import { surely } from './surely.ts';

/** Refused means that nothing was written: `intent-invalid`, `intent-conflict`, `input-invalid`, `input-too-large` or `group-id-invalid`. */
export type Submitted<Data> =
  | { readonly kind: 'created' | 'existing'; readonly job: JobView<Data> }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Why an operator acts; it travels in the event, so it has at most 4 KB. */
export interface Because {
  readonly because?: string;
}

/** What a caller may do, by its own intent; completing is not among it, that takes a claimed {@link Attempt}. */
export interface Jobs {
  /**
   * One conditional write: the job exists afterwards, with its command in it, or it did before.
   *
   * @throws Failure `submit-unconfirmed` when no reply came at all: submit the same intent again
   */
  submit<In, Data>(
    job: Job<string, In, Data>,
    request: Request<NoInfer<In>>,
  ): Promise<Submitted<Data>>;
  /** The same as writes to commit with your own; the whole commit is refused where the intent exists. @throws Failure for bad input */
  submitWrites<In>(job: Job<string, In>, request: Request<NoInfer<In>>): Promise<readonly Write[]>;
  /** The job as its row says now; undefined where there is none. */
  get<Data>(job: Job<string, unknown, Data>, intentId: string): Promise<JobView<Data> | undefined>;
  /** `url` lives for minutes(15) unless asked otherwise. */
  result(job: Job, intentId: string, settings?: { readonly expiresIn?: Duration }): Promise<Result>;
  /** Queued: at once. Running: requested, and its signal fires; `force` ends it now and fences its owner. */
  cancel(
    job: Job,
    intentId: string,
    settings?: Because & { readonly force?: boolean },
  ): Promise<Changed>;
  /** Takes a running job from its owner, who is fenced, and queues it again. */
  release(job: Job, intentId: string, settings?: Because): Promise<Changed>;
  /** Queues a failed job again; succeeded and cancelled are final. */
  retry(job: Job, intentId: string, settings?: Because): Promise<Changed>;
}

/** Makes the callers' side of jobs. */
export function createJobs(world: World): Jobs {
  const { store, bucket } = world;
  return {
    async submit<In, Data>(job: Job<string, In, Data>, request: Request<NoInfer<In>>) {
      return submitted<Data>(job, request, world);
    },
    async submitWrites(job, request) {
      return submissionWrites(await submissionOf(job, request, world));
    },
    async get<Data>(job: Job<string, unknown, Data>, intentId: string) {
      const row = await store.read(tables.jobs, keyOf(jobId(job.name, intentId)));
      return row === undefined ? undefined : jobView<Data>(jobOf(row));
    },
    async result(job, intentId, { expiresIn = minutes(15) } = {}) {
      const row = await store.read(tables.jobs, keyOf(jobId(job.name, intentId)));
      return resultOf(row === undefined ? undefined : jobOf(row), bucket, expiresIn);
    },
    cancel: (job, intentId, { force = false, because } = {}) =>
      askJob(world, jobId(job.name, intentId), { kind: 'cancel', force, because }),
    release: (job, intentId, { because } = {}) =>
      askJob(world, jobId(job.name, intentId), { kind: 'release', because }),
    retry: (job, intentId, { because } = {}) =>
      askJob(world, jobId(job.name, intentId), { kind: 'retry', because }),
  };
}

async function submitted<Data>(
  job: Job,
  request: Request<unknown>,
  world: World,
): Promise<Submitted<Data>> {
  try {
    const asked = await submissionOf(job, request, world);
    const answer = submitAnswer(asked, await surely(world, submissionWrites(asked)));
    if (answer.kind === 'created')
      quiet(world.observe)({
        kind: 'job-submitted',
        at: asked.at,
        job: answer.job.id,
        groupId: answer.job.groupId,
        generation: 0,
      });
    return answerOf<Data>(answer, request);
  } catch (thrown) {
    if (isFailure(thrown) && thrown.remedy === 'dead-letter')
      return { kind: 'refused', failure: thrown };
    throw thrown;
  }
}

function answerOf<Data>(answer: SubmitAnswer, { intentId }: Request<unknown>): Submitted<Data> {
  switch (answer.kind) {
    case 'created':
    case 'existing':
      return { kind: answer.kind, job: jobView<Data>({ kind: 'job', job: answer.job }) };
    case 'conflict':
      throw permanent(
        'intent-conflict',
        `intent ${JSON.stringify(intentId)} is already a job with another ${answer.differs}: use a new intent id for something else`,
        { facts: { job: answer.job.id, differs: answer.differs } },
      );
    case 'newer':
      throw newerRow(answer.schema);
    case 'unknown':
      throw transient(
        'submit-unconfirmed',
        `no reply came, so intent ${JSON.stringify(intentId)} may be a job or not: submit the same intent again`,
      );
    default:
      return never(answer);
  }
}
