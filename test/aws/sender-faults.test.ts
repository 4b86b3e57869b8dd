import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { loaded } from '../../lib/aws/loaded.ts';
import type { GroupId } from '../../lib/kernel/brand.ts';
import { sizes } from '../../lib/kernel/settings.ts';
import type { Entry } from '../../lib/ports/sender.ts';
import { type Answer, scripted } from './scripted.ts';

const targets = {
  queue: 'http://127.0.0.1/000000000000/commands.fifo',
  'queue-by-arn': 'arn:aws:sqs:us-east-1:000000000000:commands.fifo',
  topic: 'arn:aws:sns:us-east-1:000000000000:events.fifo',
  bus: 'arn:aws:events:us-east-1:000000000000:event-bus/events',
};

const entry = (
  group: string,
  body = JSON.stringify({ type: 'count.run', subject: group }),
): Entry => ({
  id: group,
  group: group as GroupId,
  body,
});

/** What became of entries sent to a target behind an endpoint that answers so. */
async function sent(target: string, entries: readonly Entry[], answer: (body: string) => Answer) {
  await using endpoint = await scripted(answer);
  const { sender } = onAws({ targets, endpoint: endpoint.url });
  const verdicts = await sender.send(target, entries);
  return { verdicts, kinds: verdicts.map(({ kind }) => kind), requests: endpoint.requests };
}

const sqs = (body: object): Answer => ({
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(body),
});

const sqsError = (code: string, status = 400): Answer => ({
  ...sqs({ __type: `com.amazonaws.sqs#${code}`, message: 'as told' }),
  status,
});

interface SqsRequest {
  readonly Entries: readonly { readonly Id: string; readonly MessageBody: string }[];
}

const sqsEntries = (request: string) => (JSON.parse(request) as SqsRequest).Entries;

const successful = (request: string) =>
  sqsEntries(request).map(({ Id, MessageBody }) => ({
    Id,
    MessageId: Id,
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  }));

describe('a request to a queue that is refused as a whole', () => {
  it.each([
    'BatchRequestTooLong',
    'InvalidMessageContents',
    'InvalidParameterValue',
    'InvalidParameterValueException',
    'MissingParameter',
  ])('for %s is sent again one by one, so that the guilty entry alone is refused', async (code) => {
    const entries = [entry('A'), entry('B', 'guilty'), entry('C')];

    const { verdicts, requests } = await sent('queue', entries, (body) =>
      body.includes('guilty') ? sqsError(code) : sqs({ Successful: successful(body) }),
    );

    expect(verdicts).toEqual([
      { kind: 'sent' },
      { kind: 'refused', why: expect.stringContaining(code) },
      { kind: 'sent' },
    ]);
    expect(requests.map((body) => sqsEntries(body).length)).toEqual([3, 1, 1, 1]);
  });

  it.each<[string, Answer]>([
    [
      'a code in the words of the query protocol',
      {
        ...sqsError('BatchRequestTooLong'),
        headers: { 'x-amzn-query-error': 'AWS.SimpleQueueService.BatchRequestTooLong;Sender' },
      },
    ],
    ['a code with that protocol’s prefix', sqsError('AWS.SimpleQueueService.BatchRequestTooLong')],
    ['status 413 without a code', { status: 413, body: '' }],
  ])('is sent again one by one for %s', async (_, answer) => {
    const { kinds } = await sent('queue', [entry('A'), entry('B', 'guilty')], (body) =>
      body.includes('guilty') ? answer : sqs({ Successful: successful(body) }),
    );

    expect(kinds).toEqual(['sent', 'refused']);
  });

  it.each([
    ['AccessDeniedException', 403],
    ['QueueDoesNotExist', 400],
    ['KmsAccessDenied', 400],
    ['OverLimit', 403],
  ])('for %s is an outage of all its entries, and is sent once', async (code, status) => {
    const { verdicts, requests } = await sent('queue', [entry('A'), entry('B')], () =>
      sqsError(code, status),
    );

    expect(verdicts).toEqual([
      { kind: 'outage', why: expect.stringContaining(code) },
      { kind: 'outage', why: expect.stringContaining(code) },
    ]);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['RequestThrottled', 400],
    ['InternalFailure', 500],
    ['ServiceUnavailable', 503],
  ])('for %s is an outage of all its entries', async (code, status) => {
    const { kinds, requests } = await sent('queue', [entry('A'), entry('B')], () =>
      sqsError(code, status),
    );

    expect(kinds).toEqual(['outage', 'outage']);
    expect(requests.every((body) => sqsEntries(body).length === 2)).toBe(true);
  });

  it('is an outage without an answer', async () => {
    const { sender } = onAws({ targets, endpoint: 'http://127.0.0.1:1' });

    const verdicts = await sender.send('queue', [entry('A')]);

    expect(verdicts).toEqual([{ kind: 'outage', why: expect.any(String) }]);
  });

  it('ends the sending: what was to go after it is an outage, and was not sent', async () => {
    const half = 'x'.repeat(sizes.queueMessage * 0.6);
    const entries = ['A', 'B', 'C'].map((group) => entry(group, `${group}${half}`));

    const { kinds, requests } = await sent('queue', entries, (body) =>
      sqsEntries(body)[0]?.MessageBody.startsWith('B')
        ? sqsError('AccessDeniedException', 403)
        : sqs({ Successful: successful(body) }),
    );

    expect(kinds).toEqual(['sent', 'outage', 'outage']);
    expect(requests).toHaveLength(2);
  });

  it('is an outage of all when the queue of an ARN is not found', async () => {
    const { kinds } = await sent('queue-by-arn', [entry('A')], () => sqsError('QueueDoesNotExist'));

    expect(kinds).toEqual(['outage']);
  });
});

describe('a queue by its ARN', () => {
  it('is looked up once, also when it is sent to again', async () => {
    await using endpoint = await scripted((body) =>
      body.includes('QueueName')
        ? sqs({ QueueUrl: targets.queue })
        : sqs({ Successful: successful(body) }),
    );
    const { sender } = onAws({ targets, endpoint: endpoint.url });

    await sender.send('queue-by-arn', [entry('A')]);
    await sender.send('queue-by-arn', [entry('B')]);

    expect(endpoint.requests.map((body) => body.includes('QueueName'))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('an entry of a request to a queue', () => {
  it('is sent only if the reply names it as successful', async () => {
    const { verdicts } = await sent('queue', [entry('A'), entry('B')], (body) =>
      sqs({ Successful: successful(body).slice(1) }),
    );

    expect(verdicts).toEqual([
      { kind: 'outage', why: 'the reply left this entry out' },
      { kind: 'sent' },
    ]);
  });

  it.each([
    ['refused', 'InvalidMessageContents', true],
    ['refused', 'InvalidMessageContents', false],
    ['refused', 'NeverHeardOf', true],
    ['outage', 'NeverHeardOf', false],
    ['outage', 'InternalError', false],
    ['outage', 'RequestThrottled', true],
    ['outage', 'KMS.ThrottlingException', true],
    ['outage', 'KmsAccessDenied', true],
    ['outage', 'AccessDenied', true],
  ])('is %s for %s, where its being the sender’s fault is %s', async (kind, Code, SenderFault) => {
    const { verdicts } = await sent('queue', [entry('A'), entry('B')], (body) =>
      sqs({
        Successful: successful(body).slice(0, 1),
        Failed: [{ Id: '1', Code, SenderFault, Message: 'as told' }],
      }),
    );

    expect(verdicts).toEqual([{ kind: 'sent' }, { kind, why: `${Code}: as told` }]);
  });
});

const sns = (body: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body,
});

const snsError = (code: string, status = 400): Answer =>
  sns(
    `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${code}</Code><Message>as told</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
    status,
  );

const snsResult = (sentIds: readonly string[], failed = ''): Answer =>
  sns(
    `<PublishBatchResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishBatchResult><Failed>${failed}</Failed><Successful>${sentIds
      .map((id) => `<member><Id>${id}</Id><MessageId>${id}</MessageId></member>`)
      .join('')}</Successful></PublishBatchResult></PublishBatchResponse>`,
  );

describe('a request to a topic', () => {
  it('names each entry’s group and deduplication id', async () => {
    const { kinds, requests } = await sent('topic', [entry('A')], () => snsResult(['0']));

    const asked = new URLSearchParams(requests[0]);
    expect(kinds).toEqual(['sent']);
    expect(asked.get('PublishBatchRequestEntries.member.1.MessageGroupId')).toBe('A');
    expect(asked.get('PublishBatchRequestEntries.member.1.MessageDeduplicationId')).toBe('A');
  });

  it.each(['InvalidParameter', 'ParameterValueInvalid', 'BatchRequestTooLong', 'ValidationError'])(
    'that is refused as a whole for %s is sent again one by one',
    async (code) => {
      const entries = [entry('A'), entry('B', 'guilty')];

      const { kinds, requests } = await sent('topic', entries, (body) =>
        body.includes('guilty') ? snsError(code) : snsResult(['0']),
      );

      expect(kinds).toEqual(['sent', 'refused']);
      expect(requests).toHaveLength(3);
    },
  );

  it.each([
    ['NotFound', 404],
    ['AuthorizationError', 403],
    ['KMSDisabled', 400],
  ])(
    'that fails with %s is an outage of all its entries, and is sent once',
    async (code, status) => {
      const { kinds, requests } = await sent('topic', [entry('A'), entry('B')], () =>
        snsError(code, status),
      );

      expect(kinds).toEqual(['outage', 'outage']);
      expect(requests).toHaveLength(1);
    },
  );

  it('tells a refused entry from one that it was throttled for, and from one that is left out', async () => {
    const failed = (id: number, code: string) =>
      `<member><Id>${id}</Id><Code>${code}</Code><Message>as told</Message><SenderFault>true</SenderFault></member>`;

    const { kinds } = await sent(
      'topic',
      ['A', 'B', 'C', 'D'].map((it) => entry(it)),
      () => snsResult(['0'], failed(1, 'InvalidParameter') + failed(2, 'Throttled')),
    );

    expect(kinds).toEqual(['sent', 'refused', 'outage', 'outage']);
  });
});

const events = (results: readonly object[], status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify({ FailedEntryCount: 0, Entries: results }),
});

describe('a request to an event bus', () => {
  it.each([
    ['refused', 'MalformedDetail'],
    ['refused', 'InvalidArgument'],
    ['refused', 'NotAuthorizedForSourceException'],
    ['refused', 'NotAuthorizedForDetailTypeException'],
    ['refused', 'RedactionFailure'],
    ['outage', 'ThrottlingException'],
    ['outage', 'InternalFailure'],
    ['outage', 'AccessDeniedException'],
    ['outage', 'InvalidAccountIdException'],
    ['outage', 'NeverHeardOf'],
  ])('is %s for an entry with %s, and sent for one with an id', async (kind, ErrorCode) => {
    const { verdicts } = await sent('bus', [entry('A'), entry('B'), entry('C')], () =>
      events([{ EventId: '1' }, { ErrorCode, ErrorMessage: 'as told' }]),
    );

    expect(verdicts).toEqual([
      { kind: 'sent' },
      { kind, why: `${ErrorCode}: as told` },
      { kind: 'outage', why: 'the reply left this entry out' },
    ]);
  });

  it('that is refused as a whole is sent again one by one, so that the guilty entry alone is refused', async () => {
    const guilty = entry('B', '{"type":"guilty"}');

    const { kinds, requests } = await sent('bus', [entry('A'), guilty], (body) =>
      body.includes('guilty')
        ? { ...events([], 400), body: '{"__type":"ValidationException","message":"as told"}' }
        : events([{ EventId: '1' }]),
    );

    expect(kinds).toEqual(['sent', 'refused']);
    expect(requests).toHaveLength(3);
  });

  it('is not made for entries that no bus can take', async () => {
    const { kinds, requests } = await sent('bus', [entry('A', 'one two')], () => events([]));

    expect(kinds).toEqual(['refused']);
    expect(requests).toEqual([]);
  });

  it.each([
    ['01', 'Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=00f067aa0ba902b7;Sampled=1'],
    ['00', 'Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=00f067aa0ba902b7;Sampled=0'],
    ['', undefined],
  ])('names the trace in X-Ray’s words (flags "%s")', async (flags, header) => {
    const traceparent = `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`;
    const traced = entry('A', JSON.stringify({ type: 'count.run', traceparent }));

    const { requests } = await sent('bus', [traced], () => events([{ EventId: '1' }]));

    const [asked = '{}'] = requests;
    expect(JSON.parse(asked).Entries[0].TraceHeader).toBe(header);
  });
});

describe('the targets of a setting', () => {
  it.each(['my-queue', 'arn:aws:s3:::bucket', 'arn:aws:events:us-east-1:000000000000:rule/x', ''])(
    'are malformed with %j, by name and value, at first touch',
    (value) => {
      const world = onAws({ targets: { events: value } });

      const touched = () => world.sender;

      expect(touched).toThrow(
        expect.objectContaining({
          code: 'setting-malformed',
          message: expect.stringContaining(`"events"`),
          facts: { target: 'events', value },
        }),
      );
      expect(touched).toThrow(JSON.stringify(value));
    },
  );
});

describe('a package that is loaded at first use', () => {
  it('is named when it is missing', async () => {
    const name: string = '@aws-sdk/client-of-nothing';

    const loading = loaded(name, () => import(name));

    await expect(loading).rejects.toMatchObject({
      code: 'package-missing',
      message: expect.stringContaining(name),
    });
  });

  it('throws what it throws itself', async () => {
    const own = new Error('broken inside');

    await expect(loaded('own', () => Promise.reject(own))).rejects.toBe(own);
  });
});
