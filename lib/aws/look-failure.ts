import { type Failure, isFailure, permanent } from '../kernel/failure.ts';
import { type Resource, variableOf, wrong } from './resource.ts';
import { nameOf } from './trouble.ts';

/** A look at a resource: what is allowed to whoever looks, and where. */
export interface Look {
  readonly resource: Resource;
  /** What IAM calls the permission for it. */
  readonly permission: string;
  /** Where the client sends to. */
  readonly region: string;
}

/** What a look ended in. */
interface Ended extends Look {
  readonly thrown: unknown;
}

/** Codes of failures that are the same for every resource, and told once. */
export const onceOnly: ReadonlySet<string> = new Set([
  'endpoint-malformed',
  'region-missing',
  'credentials-missing',
  'credentials-refused',
]);

/** Errors by name and message, and what each of them means; the first that fits counts. */
const meanings: readonly { readonly of: RegExp; failure(ended: Ended): Failure }[] = [
  { of: /^TypeError: Invalid URL/, failure: noUrl },
  { of: /^Error: Region is missing/, failure: noRegion },
  { of: /^(Credentials|Token)ProviderError/, failure: noCredentials },
  {
    of: /^(UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|ExpiredToken|InvalidToken|InvalidSecurity|MissingAuthenticationToken|TokenRefreshRequired|RequestExpired)/,
    failure: refused,
  },
  { of: /^(AccessDenied|AuthorizationError|NotAuthorized|Forbidden|403\b)/, failure: denied },
  {
    of: /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint|301\b)/,
    failure: elsewhere,
  },
  {
    of: /^(ResourceNotFound|NoSuchBucket|NotFound|QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue|InvalidAddress)/,
    failure: missing,
  },
];

/** Reads what a look ended in. */
export function lookFailure(thrown: unknown, look: Look): Failure {
  if (isFailure(thrown)) return thrown;
  const text = textOf(thrown);
  const { failure } = meanings.find(({ of }) => of.test(text)) ?? { failure: unread };
  return failure({ ...look, thrown });
}

const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? `${titleOf(thrown)}: ${thrown.message}` : String(thrown);

/** An error by its name; one without a body, as S3 answers a look at an object, by its status. */
function titleOf(thrown: Error): string {
  const { $metadata } = thrown as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return thrown.name === 'Unknown' ? `${$metadata?.httpStatusCode}` : nameOf(thrown);
}

function noUrl({ thrown: cause }: Ended): Failure {
  const { input } = cause as { readonly input?: unknown };
  const sentence = `an endpoint is a URL such as "http://127.0.0.1:4566", got ${JSON.stringify(input)}: check AWS_ENDPOINT_URL`;
  return permanent('endpoint-malformed', sentence, { cause });
}

/** What the SDK throws where no region is set. */
export function noRegion({ thrown: cause }: Pick<Ended, 'thrown'>): Failure {
  const sentence =
    'no region is set for AWS: set AWS_REGION, or a region in the profile that AWS_PROFILE names';
  return permanent('region-missing', sentence, { cause });
}

function noCredentials({ thrown: cause }: Ended): Failure {
  const sentence = `there are no credentials for AWS (${textOf(cause)}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or sign in again`;
  return permanent('credentials-missing', sentence, { cause });
}

function refused({ thrown: cause }: Ended): Failure {
  const why = nameOf(cause);
  const remedy = /Expired/.test(why)
    ? 'they are no longer valid, so sign in again'
    : 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE';
  const sentence = `AWS refused the credentials (${why}): ${remedy}`;
  return permanent('credentials-refused', sentence, { facts: { why }, cause });
}

function denied({ thrown, resource, permission }: Ended): Failure {
  const sentence = `can't be looked at (${nameOf(thrown)}): allow ${permission} to whoever runs this check, which says nothing of what your functions may do`;
  return wrong(resource, 'access-denied', sentence);
}

function elsewhere({ thrown, resource, region }: Ended): Failure {
  const there = regionIn(thrown) ?? 'another region';
  const sentence = `is in ${there}, not in ${region}: set AWS_REGION to where it is, or name a bucket in ${region} in ${variableOf(resource)}`;
  return wrong(resource, 'bucket-elsewhere', sentence);
}

function missing({ resource, region }: Ended): Failure {
  const sentence = `does not exist in ${region}: create it, or name another one in ${variableOf(resource)}`;
  return wrong(resource, `${resource.what}-missing`, sentence);
}

/** Whatever else it is, it's told as it came, and blames nobody. */
const unread = ({ thrown, resource }: Ended): Failure =>
  wrong(
    resource,
    'check-failed',
    `can't be looked at (${textOf(thrown)}): check its name, and that AWS answers at the endpoint`,
  );

/** S3 says a bucket's region in a header, or in the body. */
function regionIn(thrown: unknown): string | undefined {
  const { Region, $response } = thrown as {
    readonly Region?: unknown;
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  };
  return (
    $response?.headers?.['x-amz-bucket-region'] ?? (typeof Region === 'string' ? Region : undefined)
  );
}
