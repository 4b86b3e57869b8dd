import { candidateKey, manifestName, type Owner, ownerOf, placeOf } from '../candidate/key.ts';
import { fits } from '../job/appended.ts';
import type { Finished } from '../job/ending.ts';
import type { ResultPointer, RunningJob } from '../job/job.ts';
import { type Failure, isFailure, permanent } from '../kernel/failure.ts';
import { canonical, type Json } from '../kernel/json.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import { sizes } from '../kernel/settings.ts';
import type { Bucket } from '../ports/bucket.ts';
import type { World } from '../ports/world.ts';
import { tellIgnored } from './job-tellings.ts';

/** The shape of a manifest; one of another shape is ignored, and the job done again. */
const schema = 1;

/** More than any manifest has: an event's data and a pointer. */
const longest = 2 * sizes.event;

/** What an attempt leaves before it completes: whose it is, and what the completion says. */
export const manifestText = (job: RunningJob, { data, result }: Finished): string =>
  canonical({ schema, ...ownerOf(job), data, result });

/** What the silent owner of a job had finished, if it left a manifest; what lies there and is none is told. */
export async function finishedBy(
  job: RunningJob,
  world: Pick<World, 'bucket' | 'clock' | 'observe'>,
): Promise<Finished | undefined> {
  const key = candidateKey({ ...ownerOf(job), name: manifestName });
  const text = await textAt(world.bucket, key);
  if (text === undefined) return undefined;
  const read = readManifest(text, job, world.bucket.name);
  if (!isFailure(read)) return read;
  tellIgnored(world, job, read);
  return undefined;
}

/** Reads a manifest as that of the row's own attempt: another's, or one that names what that attempt can't have written, is none. */
export function readManifest(text: string, job: RunningJob, bucket: string): Finished | Failure {
  const manifest = parsedJson(text);
  if (!isObject(manifest)) return ignored('is no JSON object');
  if (manifest['schema'] !== schema) return ignored(`is not of schema ${schema}`);
  const owner = ownerOf(job);
  if (Object.entries(owner).some(([name, value]) => manifest[name] !== value))
    return ignored(`is not of attempt ${owner.attemptId} at generation ${owner.generation}`);
  const { data, result } = manifest;
  if (!fits(data)) return ignored('has more data than an event takes');
  if (result === undefined) return { kind: 'succeeded', data };
  if (!isPointer(result)) return ignored('has no whole pointer to its result');
  if (result.bucket !== bucket || !liesBeside(owner, result.key))
    return ignored('points at what its attempt did not write');
  const { key, etag, size, checksum, contentType } = result;
  return { kind: 'succeeded', data, result: { bucket, key, etag, size, checksum, contentType } };
}

function liesBeside(owner: Owner, key: string): boolean {
  const place = placeOf(key);
  return (
    place !== undefined &&
    place.name !== manifestName &&
    key === candidateKey({ ...owner, name: place.name })
  );
}

type JsonObject = { readonly [field: string]: Json | undefined };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPointer = (value: Json): value is JsonObject & ResultPointer =>
  isObject(value) &&
  ['bucket', 'key', 'etag', 'checksum', 'contentType'].every(
    (name) => typeof value[name] === 'string',
  ) &&
  Number.isSafeInteger(value['size']);

/** No more of it than a manifest has. */
async function textAt(bucket: Bucket, key: string): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of bucket.open(key)) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > longest) break;
    }
  } catch (thrown) {
    if (isFailure(thrown) && thrown.code === 'object-missing') return undefined;
    throw thrown;
  }
  return text;
}

const ignored = (why: string): Failure =>
  permanent(
    'manifest-invalid',
    `the manifest of a silent owner ${why}, so its job is taken over and done again`,
  );
