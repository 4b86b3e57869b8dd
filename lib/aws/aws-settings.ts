import type { Duration } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import type { Happening } from '../kernel/happening.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import { environment } from '../kernel/settings.ts';

/** Real names of the world's tables and bucket, and of what routes send to: a queue's URL or ARN, a FIFO topic's ARN, or an event bus's ARN. */
export interface AwsSettings {
  /** @default what `LANEKEEPER_TABLES` says: a JSON object such as `{"jobs":"my-jobs"}` */
  readonly tables?: Readonly<Record<string, string>>;
  /** @default what `LANEKEEPER_BUCKET` says */
  readonly bucket?: string;
  /** @default what `LANEKEEPER_TARGETS` says: a JSON object such as `{"commands-export":"https://sqs…"}` */
  readonly targets?: Readonly<Record<string, string>>;
  /** Another place than AWS, such as an emulator. @default what `AWS_ENDPOINT_URL` and its per-service forms say */
  readonly endpoint?: string;
  /** @default one JSON line on standard output per failure, and per happening that an operator counts, such as `write-fenced` */
  readonly observe?: (happening: Happening) => void;
}

/** The resources to look at, by the same settings and defaults as those of `onAws`. */
export interface CheckedSettings
  extends Pick<AwsSettings, 'tables' | 'bucket' | 'targets' | 'endpoint'> {
  /** How long the function may run that reads a target's queue, by the target's name. @default the queue's visibility isn't judged */
  readonly timeouts?: Readonly<Record<string, Duration>>;
  /** @default the SDK's own: `AWS_REGION`, or the profile's */
  readonly region?: string;
}

/** What an examination looks at beside that. */
export interface ExaminedSettings extends CheckedSettings {
  /** Ids of event source mappings by a name of theirs. @default what `LANEKEEPER_MAPPINGS` says, else none */
  readonly mappings?: Readonly<Record<string, string>>;
  /** Whether reads and refused writes try what the caller's credentials allow. @default false, since that tells nothing of the functions' rights */
  readonly dryCalls?: boolean;
}

/** Variables by name, as `process.env` has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The real names of tables. @throws Failure `setting-missing` or `setting-malformed`, with the variable's name */
export const tablesOf = (
  settings: AwsSettings,
  variables: Variables,
): Readonly<Record<string, string>> => settings.tables ?? namesIn(environment.tables, variables);

/** The bucket's name. @throws Failure `setting-missing`, with the variable's name */
export const bucketOf = (settings: AwsSettings, variables: Variables): string =>
  settings.bucket ?? text(environment.bucket, variables);

/** The real names of targets. @throws Failure `setting-missing` or `setting-malformed`, with the variable's name */
export const targetsOf = (
  settings: AwsSettings,
  variables: Variables,
): Readonly<Record<string, string>> => settings.targets ?? namesIn(environment.targets, variables);

/** The ids of mappings, of which there may be none. @throws Failure `setting-malformed`, with the variable's name */
export const mappingsOf = (
  { mappings }: ExaminedSettings,
  variables: Variables,
): Readonly<Record<string, string>> =>
  mappings ??
  (variables[environment.mappings] === undefined ? {} : namesIn(environment.mappings, variables));

function text(name: string, variables: Variables): string {
  const value = variables[name];
  if (value !== undefined && value !== '') return value;
  throw permanent(
    'setting-missing',
    `the environment variable ${name} is not set: lanekeeper/infra sets it, or give the names to onAws`,
    { facts: { variable: name } },
  );
}

function namesIn(name: string, variables: Variables): Readonly<Record<string, string>> {
  const value = parsedJson(text(name, variables));
  if (isNames(value)) return value;
  throw permanent(
    'setting-malformed',
    `the environment variable ${name} must be a JSON object of texts, such as {"jobs":"my-jobs"}`,
    { facts: { variable: name } },
  );
}

const isNames = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((name) => typeof name === 'string' && name !== '');
