/** What became of a request that the SDK gave up on. */
export type Trouble =
  /** It was not applied: throttled, in conflict, or refused before it could be. */
  | 'not-applied'
  /** Nobody knows: no answer, or a server's error. */
  | 'unknown'
  | 'other';

/** Errors after which the same request may simply be sent again. */
const notApplied: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'TransactionConflictException',
  'TransactionInProgressException',
  'SlowDown',
  'TooManyRequestsException',
  'RequestThrottled',
]);

/** Errors of a connection that never came about. */
const notConnected: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Errors of a connection that broke, or of an answer that never came. */
const unanswered: ReadonlySet<string> = new Set([
  'TimeoutError',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'InternalServerError',
  'InternalError',
  'ServiceUnavailable',
]);

/** Reads what the SDK threw. */
export function troubleOf(thrown: unknown): Trouble {
  const { name, code, status } = partsOf(thrown);
  if (notApplied.has(name)) return 'not-applied';
  if (notConnected.has(code)) return 'other';
  if (unanswered.has(name) || unanswered.has(code) || status >= 500) return 'unknown';
  return 'other';
}

/** Errors that blame what a request carries (API references of SendMessageBatch, PublishBatch and PutEvents). */
const blame =
  /^(BatchRequestTooLong|RequestEntityTooLarge|Invalid(Attribute|MessageContents|Parameter)|MissingParameter|ParameterValueInvalid|Validation)/;

/** Whether a request was refused as a whole for what it carries, so that parts of it may pass. */
export function blamesRequest(thrown: unknown): boolean {
  const { name, status } = partsOf(thrown);
  return status === 413 || blame.test(name);
}

/** Codes that pass or that someone mends, although they count as the sender's fault: rates, keys, permissions. */
const circumstance = /thrott|^kms|denied|authorization/i;

/** Whether an entry that failed alone will never pass as it is: its code blames it, or counts as the sender's fault and is no circumstance. */
export const isRefusal = (code: string, isSenderFault: boolean): boolean =>
  blame.test(code) || (isSenderFault && !circumstance.test(code));

/** The name under which AWS or Node reports an error. */
export const nameOf = (thrown: unknown): string => partsOf(thrown).name;

/** What S3 said of a create that it did not confirm: something is there, or nobody knows; undefined for any other error. */
export function unconfirmed(thrown: unknown): 'taken' | 'unknown' | undefined {
  if (nameOf(thrown) === 'PreconditionFailed') return 'taken';
  return troubleOf(thrown) === 'unknown' ? 'unknown' : undefined;
}

function partsOf(thrown: unknown): { name: string; code: string; status: number } {
  if (typeof thrown !== 'object' || thrown === null) return { name: '', code: '', status: 0 };
  const { name, code, $metadata } = thrown as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: unknown };
  };
  return {
    name: String(name ?? ''),
    code: String(code ?? ''),
    status: Number($metadata?.httpStatusCode ?? 0),
  };
}
