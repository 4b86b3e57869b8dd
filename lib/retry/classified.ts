import { Failure, isFailure, transient } from '../kernel/failure.ts';

/** What was thrown, read: an outage counts nowhere, a failure says by its remedy what is next. */
export interface Classified {
  readonly kind: 'outage' | 'failure';
  readonly failure: Failure;
}

/** A reading of the user's own, asked first. */
export type Classify = (thrown: unknown) => Failure | 'outage' | undefined;

/**
 * Reads what user code or an AWS call threw. Throttling, 5xx, timeouts, network errors, refused access and missing
 * targets of AWS are outages; a {@link Failure} speaks for itself; everything else is a failure that time may mend.
 */
export function classified(thrown: unknown, classify?: Classify): Classified {
  const own = ownReading(thrown, classify);
  if (own === 'outage') return { kind: 'outage', failure: outage(thrown) };
  if (isFailure(own)) return { kind: 'failure', failure: own };
  if (isFailure(thrown)) return { kind: 'failure', failure: thrown };
  if (isOutage(thrown)) return { kind: 'outage', failure: outage(thrown) };
  return { kind: 'failure', failure: transient('handler-threw', said(thrown), { cause: thrown }) };
}

/** A reading that fails itself says nothing, and hides nothing: what was thrown is read as if it weren't there. */
function ownReading(thrown: unknown, classify: Classify | undefined): unknown {
  try {
    return classify?.(thrown);
  } catch {
    return undefined;
  }
}

/** Names and codes under which AWS and Node report what is nobody's fault. */
const outages: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AWS.SimpleQueueService.NonExistentQueue',
  'CredentialsProviderError',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'ExpiredToken',
  'ExpiredTokenException',
  'InternalError',
  'InternalFailure',
  'InternalServerError',
  'KMSThrottlingException',
  'LimitExceededException',
  'NetworkingError',
  'NoSuchBucket',
  'OverLimit',
  'ProvisionedThroughputExceededException',
  'QueueDoesNotExist',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ResourceNotFoundException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionConflictException',
  'TransactionInProgressException',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** How deep a chain of causes is followed. */
const deepest = 5;

function isOutage(thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > deepest) return false;
  const { name, code, $metadata, cause } = thrown as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: unknown };
    readonly cause?: unknown;
  };
  if (outages.has(String(name)) || outages.has(String(code))) return true;
  const status = Number($metadata?.httpStatusCode ?? 0);
  return status >= 500 || status === 429 || isOutage(cause, depth + 1);
}

const outage = (thrown: unknown): Failure =>
  new Failure('outage', said(thrown), { remedy: 'try-again', cause: thrown });

/** What was thrown, in words; never its fields, which may hold what nobody shall read. */
function said(thrown: unknown): string {
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
  return `what is thrown must be an error, got ${thrown === null ? 'null' : typeof thrown}`;
}
