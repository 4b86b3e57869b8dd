import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkResources } from '../../lib/aws/index.ts';
import { queueMistakes } from '../../lib/aws/target-mistakes.ts';

/** What AWS answers: a code with its message, in the form of the service's own protocol. */
interface Answer {
  readonly status: number;
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Beside the code, in XML. */
  readonly more?: string;
}

type Service = 'dynamodb' | 'sqs' | 's3' | 'sns' | 'events';

/** A server that answers every request of a service with an error, as AWS does, and counts them. */
async function answering(answers: Readonly<Record<Service, Answer>>) {
  const server = createServer((request, response) => {
    const service = serviceOf(request);
    const { status, code, headers = {}, more = '' } = answers[service];
    request.resume();
    response.writeHead(status, { ...contentOf(service, code), ...headers });
    response.end(bodyOf(service, code, more));
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function serviceOf({ headers, method }: IncomingMessage): Service {
  const target = String(headers['x-amz-target'] ?? '');
  if (target.startsWith('DynamoDB')) return 'dynamodb';
  if (target.startsWith('AmazonSQS')) return 'sqs';
  if (target.startsWith('AWSEvents')) return 'events';
  return method === 'POST' ? 'sns' : 's3';
}

function contentOf(service: Service, code: string): Record<string, string> {
  if (service === 's3' || service === 'sns') return { 'content-type': 'application/xml' };
  const json = { 'content-type': 'application/x-amz-json-1.0' };
  return service === 'sqs' ? { ...json, 'x-amzn-query-error': `${code};Sender` } : json;
}

function bodyOf(service: Service, code: string, more: string): string {
  if (service === 's3')
    return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message>${more}</Error>`;
  if (service === 'sns')
    return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;
  return JSON.stringify({ __type: `com.amazon.coral.service#${code}`, message: 'no' });
}

/** The same answer of every service, each with its own code. */
const all = (status: number, codes: Readonly<Record<Service, string>>) => ({
  dynamodb: { status: 400, code: codes.dynamodb },
  sqs: { status, code: codes.sqs },
  s3: { status, code: codes.s3 },
  sns: { status, code: codes.sns },
  events: { status: 400, code: codes.events },
});

const denied = all(403, {
  dynamodb: 'AccessDeniedException',
  sqs: 'AccessDenied',
  s3: 'AccessDenied',
  sns: 'AuthorizationError',
  events: 'AccessDeniedException',
});

async function found(answers: Readonly<Record<Service, Answer>>) {
  await using server = await answering(answers);
  const failures = await checkResources({
    endpoint: server.url,
    tables: { jobs: 'my-jobs', ledger: 'my-ledger' },
    bucket: 'my-results',
    targets: {
      'commands-count': `${server.url}/000000000000/my-commands.fifo`,
      events: 'arn:aws:sns:eu-central-1:000000000000:my-events.fifo',
      bus: 'arn:aws:events:eu-central-1:000000000000:event-bus/mine',
    },
  });
  return failures.map(({ code, message }) => ({ code, message }));
}

describe('what AWS answers to a check of resources', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'x');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'x');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each<[string, Record<Service, string>, string]>([
    [
      'an unknown key',
      {
        dynamodb: 'UnrecognizedClientException',
        sqs: 'InvalidClientTokenId',
        s3: 'InvalidAccessKeyId',
        sns: 'InvalidClientTokenId',
        events: 'UnrecognizedClientException',
      },
      'AWS refused the credentials (UnrecognizedClientException): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE',
    ],
    [
      'a wrong secret',
      {
        dynamodb: 'InvalidSignatureException',
        sqs: 'InvalidSignatureException',
        s3: 'SignatureDoesNotMatch',
        sns: 'SignatureDoesNotMatch',
        events: 'InvalidSignatureException',
      },
      'AWS refused the credentials (InvalidSignatureException): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE',
    ],
    [
      'a session that is over',
      {
        dynamodb: 'ExpiredTokenException',
        sqs: 'ExpiredTokenException',
        s3: 'ExpiredToken',
        sns: 'ExpiredToken',
        events: 'ExpiredTokenException',
      },
      'AWS refused the credentials (ExpiredTokenException): they are no longer valid, so sign in again',
    ],
    [
      'a token that is none',
      {
        dynamodb: 'UnrecognizedClientException',
        sqs: 'InvalidSecurity',
        s3: 'InvalidToken',
        sns: 'InvalidClientTokenId',
        events: 'MissingAuthenticationTokenException',
      },
      'AWS refused the credentials (UnrecognizedClientException): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE',
    ],
  ])('is told once when it refuses the credentials for %s', async (_, codes, message) => {
    expect(await found(all(403, codes))).toEqual([{ code: 'credentials-refused', message }]);
  });

  it('says which permission is missing where it denies the look itself', async () => {
    const failures = await found(denied);

    expect(failures.map(({ code }) => code)).toEqual(new Array(6).fill('access-denied'));
    expect(failures.map(({ message }) => /allow (.*) to whoever/.exec(message)?.[1])).toEqual([
      'dynamodb:DescribeTable',
      'dynamodb:DescribeTable',
      's3:ListBucket',
      'sqs:GetQueueAttributes and sqs:GetQueueUrl',
      'sns:GetTopicAttributes',
      'events:DescribeEventBus',
    ]);
    expect(failures[0]?.message).toMatch(
      /^the table "my-jobs" \("jobs" here\) can't be looked at \(AccessDeniedException\): /,
    );
  });

  it('names what is missing by the codes of AWS', async () => {
    const failures = await found(
      all(404, {
        dynamodb: 'ResourceNotFoundException',
        sqs: 'AWS.SimpleQueueService.NonExistentQueue',
        s3: 'NoSuchBucket',
        sns: 'NotFound',
        events: 'ResourceNotFoundException',
      }),
    );

    expect(failures.map(({ code }) => code)).toEqual([
      'table-missing',
      'table-missing',
      'bucket-missing',
      'queue-missing',
      'topic-missing',
      'bus-missing',
    ]);
  });

  it.each<[string, Answer]>([
    [
      'a redirect with the region in its header',
      {
        status: 301,
        code: 'PermanentRedirect',
        headers: { 'x-amz-bucket-region': 'eu-west-3' },
      },
    ],
    [
      'a refusal with the region in its body',
      {
        status: 400,
        code: 'AuthorizationHeaderMalformed',
        more: '<Region>eu-west-3</Region>',
      },
    ],
  ])('names a bucket in another region: %s', async (_, s3) => {
    const failures = await found({ ...denied, s3 });

    expect(failures[2]).toEqual({
      code: 'bucket-elsewhere',
      message:
        'the bucket "my-results" is in eu-west-3, not in eu-central-1: set AWS_REGION to where it is, or name a bucket in eu-central-1 in LANEKEEPER_BUCKET',
    });
  });

  it('names a bucket in another region though S3 doesn’t say in which', async () => {
    const failures = await found({ ...denied, s3: { status: 301, code: 'PermanentRedirect' } });

    expect(failures[2]?.message).toContain('is in another region, not in eu-central-1');
  });

  it('is missed by name where an endpoint takes requests and never answers', async () => {
    const server = createServer(() => {});
    await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
    const address = server.address();
    const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;

    const failures = await checkResources({
      endpoint,
      tables: { jobs: 'my-jobs' },
      bucket: 'my-results',
      targets: {},
    });

    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    expect(failures).toMatchObject([
      { code: 'endpoint-unreachable', facts: { endpoint, why: 'ETIMEDOUT' } },
    ]);
  });

  it('is told as it came where nothing else is known of it', async () => {
    const failures = await found({ ...denied, sqs: { status: 400, code: 'KmsDisabled' } });

    expect(failures[3]).toMatchObject({
      code: 'check-failed',
      message: expect.stringMatching(/"commands-count" here.*KmsDisabled/),
    });
  });
});

describe('a queue', () => {
  const fifo = 'https://sqs.eu-central-1.amazonaws.com/000000000000/a.fifo';

  it.each([
    [fifo, { FifoQueue: 'true' }, []],
    [fifo, { FifoQueue: 'false' }, ['queue-not-fifo']],
    [fifo, {}, ['queue-not-fifo']],
    [fifo.replace('.fifo', ''), { FifoQueue: 'true' }, ['queue-not-fifo']],
  ])('is FIFO by its name and its attribute alike: %s %j', (real, attributes, codes) => {
    const found = queueMistakes(attributes, { what: 'queue', real, ours: ['events'] }, []);

    expect(found.map(({ code }) => code)).toEqual(codes);
  });

  it.each([
    ['30', [], []],
    ['30', [30_000, 10_000], []],
    ['30', [10_000, 31_000], ['queue-visibility-short']],
    ['0', [1_000], ['queue-visibility-short']],
  ])('that hides for %s s is judged by the longest of %j ms', (hidden, timeouts, codes) => {
    const attributes = { FifoQueue: 'true', VisibilityTimeout: hidden };
    const found = queueMistakes(attributes, { what: 'queue', real: fifo, ours: [] }, timeouts);

    expect(found.map(({ code }) => code)).toEqual(codes);
  });
});
