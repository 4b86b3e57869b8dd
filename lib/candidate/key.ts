import type { JobId } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';

/** Whose candidate, and what it is called there. */
export interface Place {
  readonly job: JobId;
  readonly incarnation: string;
  readonly generation: number;
  readonly attemptId: string;
  readonly name: string;
}

/** Whose candidates: where all that one attempt writes lies. */
export type Owner = Omit<Place, 'name'>;

/** The attempt that owns a job, by the fields of the job's row. */
export const ownerOf = ({
  id,
  incarnation,
  generation,
  attemptId,
}: Omit<Owner, 'job'> & { readonly id: JobId }): Owner => ({
  job: id,
  incarnation,
  generation,
  attemptId,
});

/** Where all candidates of a job lie. */
export const candidatesOf = (job: JobId): string => `results/${job}/`;

/** Where the inputs of a job lie that are too large for its row. */
export const inputsOf = (job: JobId): string => `inputs/${job}/`;

/** `results/<job>/<incarnation>/<generation, 10 digits>/<attempt>/<name>`: no two attempts share a key. */
export const candidateKey = ({ job, incarnation, generation, attemptId, name }: Place): string =>
  `${candidatesOf(job)}${incarnation}/${String(generation).padStart(10, '0')}/${attemptId}/${name}`;

/** What an attempt of a job with `finish` leaves beside its candidates, so that a claim can complete for it. */
export const manifestName = 'manifest.json';

const whole =
  /^results\/(?<job>[A-Za-z0-9-]+)\/(?<incarnation>[0-9A-Z]{26})\/(?<generation>\d{10})\/(?<attemptId>[0-9A-Za-z]+)\/(?<name>[A-Za-z0-9._-]{1,128})$/;

/** Reads a whole key; whatever doesn't parse isn't ours to delete. */
export function placeOf(key: string): Place | undefined {
  const found = whole.exec(key)?.groups;
  if (found === undefined) return undefined;
  const { job = '', incarnation = '', generation = '', attemptId = '', name = '' } = found;
  return { job: job as JobId, incarnation, generation: Number(generation), attemptId, name };
}

/**
 * A name that is safe in a key.
 *
 * @throws Failure `candidate-name-invalid`, which shows the name
 */
export function candidateName(name: string): string {
  if (/^[A-Za-z0-9._-]{1,128}$/.test(name) && name !== '.' && name !== '..') return name;
  throw permanent(
    'candidate-name-invalid',
    `a candidate's name has 1 to 128 letters, digits, dots, dashes or underscores, got ${JSON.stringify(name.slice(0, 140))}`,
  );
}
