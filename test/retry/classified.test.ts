import { describe, expect, it } from 'vitest';
import { permanent, transient } from '../../lib/kernel/failure.ts';
import { seconds } from '../../lib/kernel/time.ts';
import { classified } from '../../lib/retry/classified.ts';

const called = (name: string) => Object.assign(new Error('it said so'), { name });
const coded = (code: string) => Object.assign(new Error('it said so'), { code });
const answered = (httpStatusCode: number) =>
  Object.assign(new Error('it said so'), { $metadata: { httpStatusCode } });

describe('what was thrown', () => {
  it.each([
    'AccessDenied',
    'AccessDeniedException',
    'CredentialsProviderError',
    'ExpiredToken',
    'ExpiredTokenException',
    'InternalServerError',
    'KMSThrottlingException',
    'NoSuchBucket',
    'ProvisionedThroughputExceededException',
    'QueueDoesNotExist',
    'RequestLimitExceeded',
    'RequestTimeout',
    'ResourceNotFoundException',
    'ServiceUnavailable',
    'SlowDown',
    'Throttling',
    'ThrottlingException',
    'TimeoutError',
    'TooManyRequestsException',
    'TransactionConflictException',
  ])('by the name of %s is an outage', (name) => {
    expect(classified(called(name))).toMatchObject({ kind: 'outage', failure: { code: 'outage' } });
  });

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EAI_AGAIN',
    'ENOTFOUND',
    'EPIPE',
    'ETIMEDOUT',
    'UND_ERR_CONNECT_TIMEOUT',
  ])('with the code %s is an outage', (code) => {
    expect(classified(coded(code)).kind).toBe('outage');
  });

  it.each([
    { status: 500, kind: 'outage' },
    { status: 503, kind: 'outage' },
    { status: 429, kind: 'outage' },
    { status: 400, kind: 'failure' },
    { status: 404, kind: 'failure' },
  ])('with status $status is an $kind', ({ status, kind }) => {
    expect(classified(answered(status)).kind).toBe(kind);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('the reading is broken');
      },
    ],
    ['answers something else', () => true],
  ])('is read as if there were no reading of your own where that %s', (_, classify) => {
    const read = classified(called('SlowDown'), classify as never);

    expect(read).toMatchObject({ kind: 'outage' });
  });

  it.each([
    'ConditionalCheckFailedException',
    'ValidationException',
    'NoSuchKey',
    'ENOENT',
    'Error',
  ])('by the name of %s is no outage', (name) => {
    expect(classified(called(name))).toMatchObject({
      kind: 'failure',
      failure: { code: 'handler-threw', remedy: 'try-again', message: `${name}: it said so` },
    });
  });

  it('is an outage where one caused it', () => {
    const thrown = new Error('order lost', {
      cause: new TypeError('fetch failed', { cause: coded('ECONNRESET') }),
    });

    expect(classified(thrown)).toMatchObject({
      kind: 'outage',
      failure: { message: 'Error: order lost', cause: thrown },
    });
  });

  it('may be caused by itself', () => {
    const thrown: { cause?: unknown } = {};
    thrown.cause = thrown;

    expect(classified(thrown).kind).toBe('failure');
  });

  it('as a failure speaks for itself, also where an outage caused it', () => {
    const wait = transient('slow-carrier', 'wait', { after: seconds(60), cause: coded('EPIPE') });
    const never = permanent('bad-total', 'bad');

    expect(classified(wait)).toEqual({ kind: 'failure', failure: wait });
    expect(classified(never)).toEqual({ kind: 'failure', failure: never });
  });

  it.each([
    { thrown: undefined, said: 'what is thrown must be an error, got undefined' },
    { thrown: null, said: 'what is thrown must be an error, got null' },
    { thrown: 'secret', said: 'what is thrown must be an error, got string' },
    { thrown: { secret: 1 }, said: 'what is thrown must be an error, got object' },
  ])('as no error at all is a failure that shows none of it: $said', ({ thrown, said }) => {
    expect(classified(thrown)).toMatchObject({
      kind: 'failure',
      failure: { code: 'handler-threw', message: said },
    });
  });

  it("is read by the user's own eyes first", () => {
    const bug = permanent('bug', 'a bug');
    const classify = (thrown: unknown) => {
      if (thrown instanceof TypeError) return bug;
      return thrown instanceof RangeError ? 'outage' : undefined;
    };

    expect(classified(new TypeError('x'), classify)).toEqual({ kind: 'failure', failure: bug });
    expect(classified(new RangeError('x'), classify).kind).toBe('outage');
    expect(classified(called('SlowDown'), classify).kind).toBe('outage');
    expect(classified(new Error('x'), classify).failure.code).toBe('handler-threw');
  });
});
