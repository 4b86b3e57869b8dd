import { describe, expect, it } from 'vitest';
import { clockSeen } from '../../lib/aws/clock-seen.ts';
import { jsonLines } from '../../lib/aws/examination.ts';
import { beaten } from '../../lib/aws/heartbeat.ts';
import { sourceQueueMistakes } from '../../lib/aws/source-queue-mistakes.ts';
import { toldBy } from '../../lib/aws/stack-settings.ts';
import { unreadMistakes } from '../../lib/aws/unread-mistakes.ts';

const queue = { what: 'queue', real: 'arn:work.fifo', ours: ['commands-count'] } as const;
const redrive = (deadLetterTargetArn: string) =>
  JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1_000 });
const right = { VisibilityTimeout: '360', RedrivePolicy: redrive('arn:dead.fifo') };

describe('a queue before a function', () => {
  it('is right when it hides six timeouts and has FIFO dead letters', () => {
    expect(sourceQueueMistakes(right, queue, 60)).toEqual([]);
  });

  it.each([
    [
      'hides less than six timeouts',
      { ...right, VisibilityTimeout: '359' },
      'queue-visibility-short',
      'hides a message for 359 s, less than six times the 60 s that its function may run: set its visibility timeout to 360 s',
    ],
    [
      'has no dead letters',
      { VisibilityTimeout: '360' },
      'queue-without-dead-letters',
      'has no dead-letter queue, so a message that fails for good blocks its group: set a redrive policy with a FIFO queue',
    ],
    [
      'has dead letters without order',
      { ...right, RedrivePolicy: redrive('arn:dead') },
      'queue-without-dead-letters',
      'has the dead-letter queue arn:dead, which is not FIFO: set a redrive policy with a FIFO queue',
    ],
  ])('that %s is told with its remedy', (_, attributes, code, says) => {
    expect(sourceQueueMistakes(attributes, queue, 60)).toEqual([
      {
        level: 'error',
        code,
        sentence: `the queue "arn:work.fifo" ("commands-count" here) ${says}`,
      },
    ]);
  });
});

describe('a source that no mapping reads', () => {
  const url = 'https://sqs.eu-west-1.amazonaws.com/123456789012/count.fifo';
  const arn = 'arn:aws:sqs:eu-west-1:123456789012:count.fifo';
  const stream = 'arn:aws:dynamodb:eu-west-1:123456789012:table/jobs/stream/2026';
  const codes = (targets: Record<string, string>, sources: readonly string[]) =>
    unreadMistakes(targets, sources).map(({ code }) => code);

  it('is none when each command queue and a stream are read, by URL or ARN', () => {
    const targets = { 'commands-count': url, 'commands-other': arn, events: 'arn:topic.fifo' };

    expect(codes(targets, [arn, stream])).toEqual([]);
  });

  it('is told for a command queue, also of the same name in another account', () => {
    const elsewhere = arn.replace('123456789012', '210987654321');

    expect(unreadMistakes({ 'commands-count': url }, [elsewhere, stream])).toEqual([
      {
        level: 'error',
        code: 'queue-unread',
        sentence: `the queue "${url}" ("commands-count" here) is read by no mapping, so its commands wait: make a mapping for it`,
      },
    ]);
  });

  it('is told for the stream', () => {
    expect(codes({ 'commands-count': url }, [arn])).toEqual(['stream-unread']);
  });
});

describe('a clock', () => {
  const at = 1_750_000_000_000;
  const answered = (sent: number, received: number) => ({
    sent: at + sent,
    received: at + received,
    date: at,
  });
  const seen = (...readings: Parameters<typeof clockSeen>[0]) => clockSeen(readings);

  it.each([
    ['within the second', answered(500, 600)],
    ['2 s ahead, which the header’s seconds may hide', answered(3_000, 3_010)],
    ['2 s behind', answered(-2_010, -2_000)],
    ['hidden by a slow answer', answered(-60_000, 60_000)],
  ])('is right when it is %s', (_, reading) => {
    expect(seen(reading)).toEqual({
      findings: [],
      looked: ["this machine's clock: within 2 s of that of AWS"],
    });
  });

  it.each([
    ['ahead', [answered(500, 510), answered(3_100, 3_200)], 'at least 2.1 s ahead of that of AWS'],
    ['behind', [answered(-2_200, -2_100), answered(0, 1)], 'at least 2.1 s behind that of AWS'],
  ])('that is %s by more than protocols allow is told', (_, readings, says) => {
    expect(seen(...readings)).toMatchObject({
      findings: [
        {
          level: 'error',
          code: 'clock-skewed',
          sentence: expect.stringMatching(
            new RegExp(`${says}, and 2 s are allowed for: set it by NTP`),
          ),
        },
      ],
    });
  });

  it('is told to be unread where no answer bears a date', () => {
    expect(seen()).toEqual({ findings: [], looked: ['no clock, since no answer bore a date'] });
  });
});

describe('a heartbeat', () => {
  it.each([
    [0, '0 min'],
    [119 * 60_000, '119 min'],
    [2 * 3_600_000, '2 h'],
    [-5_000, '0 min'],
  ])('%i ms ago is told as %s, and is no finding', (ago, says) => {
    expect(beaten('1000000', 1_000_000 + ago)).toEqual({
      findings: [],
      looked: [`the relay last ran ${says} ago`],
    });
  });

  it('that never was is a warning', () => {
    expect(beaten(undefined, 0)).toMatchObject({
      findings: [{ level: 'warning', code: 'relay-never-ran' }],
      looked: [],
    });
  });
});

describe('what a stack tells', () => {
  const told = { tables: { jobs: 'j' }, bucket: 'b', targets: {}, mappings: { relay: 'id' } };
  const output = (OutputKey: string, value: unknown) => ({
    OutputKey,
    OutputValue: typeof value === 'string' ? value : JSON.stringify(value),
  });

  it('is in the one output that names its resources', () => {
    const outputs = [
      output('Url', 'https://x'),
      output('MyResources', 'mine'),
      output('OtherResources', { bucket: 'of something else' }),
      output('LanekeeperResources0A1B', told),
    ];

    expect(toldBy('prod', outputs)).toEqual(told);
  });

  it.each([
    ['nothing', [output('Url', 'x')], 'stack-silent', /^the stack "prod" has no output/],
    [
      'two things',
      [output('AResources', told), output('BResources', told)],
      'stack-ambiguous',
      /^the stack "prod" has 2 Lanekeepers/,
    ],
  ])('can’t be %s', (_, outputs, code, message) => {
    expect(() => toldBy('prod', outputs)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

describe('an examination as JSON lines', () => {
  it('has a line per finding, and the counts at last', () => {
    const findings = (['error', 'warning', 'error'] as const).map((level) => ({
      level,
      code: 'c',
      sentence: 's',
    }));

    expect(jsonLines({ findings, looked: ['a'] }).map((line) => JSON.parse(line))).toEqual([
      { kind: 'doctor-finding', level: 'error', code: 'c', sentence: 's' },
      { kind: 'doctor-warning', level: 'warning', code: 'c', sentence: 's' },
      { kind: 'doctor-finding', level: 'error', code: 'c', sentence: 's' },
      { kind: 'doctor-looked', errors: 2, warnings: 1, looked: ['a'] },
    ]);
  });
});
