import { inputsOf } from '../candidate/key.ts';
import { jobId } from '../job/job-id.ts';
import type { Submission } from '../job/submit.ts';
import type { GroupId, JobId } from '../kernel/brand.ts';
import { bytesOf } from '../kernel/bytes-of.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { type Failure, permanent, transient } from '../kernel/failure.ts';
import { groupId } from '../kernel/group-id.ts';
import { canonical } from '../kernel/json.ts';
import { spokenIssues } from '../kernel/schema.ts';
import { sizes } from '../kernel/settings.ts';
import { sha256 } from '../kernel/sha256.ts';
import type { World } from '../ports/world.ts';
import { type DefinedJob, definition, type Job, type Request } from './define-job.ts';

/** A caller of its own has no epoch; an attempt has. */
type Parts = Pick<World, 'bucket' | 'clock' | 'random'> & { readonly epoch?: Epoch };

/**
 * Turns a request into a submission: input checked, group checked, a large input laid beside the row first.
 *
 * @throws Failure `intent-invalid`, `input-invalid`, `input-too-large` or `group-id-invalid`; nothing was submitted then
 */
export async function submissionOf(
  job: Job,
  request: Request<unknown>,
  world: Parts,
): Promise<Submission> {
  const defined = definition(job);
  const intentId = intent(request.intentId);
  const text = await inputText(defined, request.input);
  return {
    kind: job.name,
    intentId,
    groupId: groupOf(defined, request),
    inputHash: sha256(text),
    input: await laid(text, jobId(job.name, intentId), world),
    incarnation: world.random.ulid(),
    at: world.clock.now(),
    ...(defined.order === undefined ? {} : { order: defined.order }),
  };
}

function intent(id: string): string {
  if (typeof id === 'string' && id.length >= 1 && bytesOf(id) <= 1_024 && isWhole(id)) return id;
  throw permanent(
    'intent-invalid',
    `an intent id is a text of 1 to 1024 bytes in UTF-8, got ${typeof id === 'string' ? `${JSON.stringify(id.slice(0, 100))} (${bytesOf(id)} bytes)` : typeof id}`,
  );
}

/** Half a surrogate pair has no bytes of its own in UTF-8, so two intents could be one job. */
const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

async function inputText(job: DefinedJob, input: unknown): Promise<string> {
  const text = jsonOf(job, input);
  const size = bytesOf(text);
  if (size > sizes.input)
    throw permanent(
      'input-too-large',
      `the input of a job has at most ${sizes.input} bytes as JSON, got ${size}: put the data in a bucket and its key in the input`,
      { facts: { kind: job.name, size } },
    );
  const checked = await job.input['~standard'].validate(JSON.parse(text));
  if (checked.issues === undefined) return text;
  throw inputInvalid(job.name, spokenIssues(checked.issues));
}

function jsonOf(job: DefinedJob, input: unknown): string {
  try {
    return canonical(input);
  } catch (cause) {
    throw inputInvalid(job.name, 'it does not survive JSON', cause);
  }
}

const inputInvalid = (kind: string, why: string, cause?: unknown): Failure =>
  permanent('input-invalid', `the input of job "${kind}" is not right: ${why}`, {
    facts: { kind },
    cause,
  });

const groupOf = (job: DefinedJob, { groupId: own, input, intentId }: Request<unknown>): GroupId =>
  groupId(own ?? job.group?.(input) ?? jobId(job.name, intentId));

/** Up to 16 KB lie in the row; more goes to the bucket under its own hash, so that a repeat writes nothing new. */
async function laid(
  text: string,
  id: JobId,
  { bucket, epoch }: Parts,
): Promise<Submission['input']> {
  if (bytesOf(text) <= sizes.inlineInput) return { text };
  const key = `${inputsOf(id)}${sha256(text)}`;
  const created = await bucket.create(key, whole(text), {
    contentType: 'application/json',
    attempt: 'submit',
    ...(epoch === undefined ? {} : { epoch }),
  });
  if (created.kind !== 'unknown' || (await bucket.head(key)) !== undefined) return { key };
  throw transient(
    'input-unconfirmed',
    'the bucket did not confirm the input: submit the same intent again',
  );
}

async function* whole(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
