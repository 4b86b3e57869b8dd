import type { EventSourceMappingConfiguration } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { mappingMistakes } from '../../lib/aws/mapping-mistakes.ts';
import { newsPattern } from '../../lib/kernel/settings.ts';

const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:123456789012:${name}`;
const stream = arn('dynamodb', 'table/jobs/stream/2026-01-01T00:00:00.000');
const news = JSON.stringify(newsPattern);

const ofQueue: EventSourceMappingConfiguration = {
  EventSourceArn: arn('sqs', 'work.fifo'),
  State: 'Enabled',
  StateTransitionReason: 'USER_INITIATED',
  BatchSize: 10,
  MaximumBatchingWindowInSeconds: 0,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
};

const ofStream: EventSourceMappingConfiguration = {
  EventSourceArn: stream,
  State: 'Enabled',
  StateTransitionReason: 'User action',
  LastProcessingResult: 'OK',
  BatchSize: 100,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  StartingPosition: 'TRIM_HORIZON',
  BisectBatchOnFunctionError: true,
  MaximumRetryAttempts: -1,
  MaximumRecordAgeInSeconds: 82_800,
  ParallelizationFactor: 1,
  DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::given-up' } },
  FilterCriteria: { Filters: [{ Pattern: news }] },
};

const found = (mapping: EventSourceMappingConfiguration, latest: string | undefined = stream) =>
  mappingMistakes(mapping, { what: 'mapping', real: 'id', ours: ['mine'] }, latest);

const filtered = (...patterns: readonly unknown[]) => ({
  FilterCriteria: { Filters: patterns.map((one) => ({ Pattern: JSON.stringify(one) })) },
});

type Change = Partial<EventSourceMappingConfiguration>;

const ofBoth: readonly (readonly [string, Change, string, string, string])[] = [
  [
    'is disabled',
    { State: 'Disabled' },
    'error',
    'mapping-disabled',
    'so nothing is read: enable it',
  ],
  ['is being disabled', { State: 'Disabling' }, 'error', 'mapping-disabled', 'is Disabling ('],
  ['is being enabled', { State: 'Enabling' }, 'warning', 'mapping-changing', 'is Enabling: look'],
  ['is being updated', { State: 'Updating' }, 'warning', 'mapping-changing', 'is Updating: look'],
  [
    'had trouble',
    { LastProcessingResult: 'PROBLEM: Function call failed' },
    'warning',
    'mapping-troubled',
    'with "PROBLEM: Function call failed": look',
  ],
  [
    'takes no partial responses',
    { FunctionResponseTypes: [] },
    'error',
    'mapping-partial-responses-off',
    'has the response types [], so what a batch hands back counts as done: set them to [ReportBatchItemFailures]',
  ],
];

describe('a mapping of a queue', () => {
  it('is right as infra makes it', () => {
    expect(found(ofQueue)).toEqual([]);
  });

  it.each<readonly [string, Change, string, string, string]>([
    ...ofBoth,
    [
      'reads a standard queue',
      { EventSourceArn: arn('sqs', 'work') },
      'error',
      'mapping-not-fifo',
      `reads the standard queue ${arn('sqs', 'work')}, which keeps no order: make it anew behind a FIFO queue`,
    ],
    [
      'takes large batches',
      { BatchSize: 11 },
      'error',
      'mapping-batch-size',
      'has a batch size of 11: set 1 to 10, as a FIFO queue asks',
    ],
    ['takes no batches', { BatchSize: 0 }, 'error', 'mapping-batch-size', 'of 0: set 1 to 10'],
    [
      'waits for more',
      { MaximumBatchingWindowInSeconds: 5 },
      'error',
      'mapping-window',
      'waits 5 s to fill a batch',
    ],
    [
      'filters',
      filtered({ body: ['a'] }),
      'error',
      'mapping-filter',
      'has the filter {"body":["a"]}, and deletes every message that doesn\'t pass: remove it',
    ],
  ])('that %s is told with its remedy', (_, change, level, code, says) => {
    expect(found({ ...ofQueue, ...change })).toEqual([
      { level, code, sentence: expect.stringContaining(says) },
    ]);
    expect(found({ ...ofQueue, ...change })[0]?.sentence).toMatch(
      /^the mapping "id" \("mine" here\) \S/,
    );
  });

  it.each([1, 10])('may take batches of %i', (BatchSize) => {
    expect(found({ ...ofQueue, BatchSize })).toEqual([]);
  });
});

describe('a mapping of a stream', () => {
  it('is right as infra makes it', () => {
    expect(found(ofStream)).toEqual([]);
  });

  it.each<readonly [string, Change, string, string, string]>([
    ...ofBoth,
    [
      'reads a stream of before',
      { EventSourceArn: `${stream}-old` },
      'error',
      'stream-changed',
      `reads ${stream}-old, but the jobs table's stream is ${stream}: the stream was made anew`,
    ],
    [
      'started late',
      { StartingPosition: 'LATEST' },
      'error',
      'mapping-start',
      'started at LATEST, past events that were there before: make it anew with TRIM_HORIZON',
    ],
    [
      'keeps batches whole',
      { BisectBatchOnFunctionError: false },
      'error',
      'mapping-bisect-off',
      'set BisectBatchOnFunctionError to true',
    ],
    [
      'gives up',
      { MaximumRetryAttempts: 3 },
      'error',
      'mapping-retries',
      'gives records up after 3 retries, and their events are lost: set MaximumRetryAttempts to -1',
    ],
    [
      'never gives up',
      { MaximumRecordAgeInSeconds: -1 },
      'error',
      'mapping-record-age',
      'at an age of no limit, but the stream ends them at 24 h without a trace: set MaximumRecordAgeInSeconds to 60 to 86399',
    ],
    [
      'gives up with the stream',
      { MaximumRecordAgeInSeconds: 86_400 },
      'error',
      'mapping-record-age',
      'at an age of 86400 s',
    ],
    ['gives up at once', { MaximumRecordAgeInSeconds: 59 }, 'error', 'mapping-record-age', '59 s'],
    [
      'reads a shard in parallel',
      { ParallelizationFactor: 2 },
      'error',
      'mapping-factor',
      'has a parallelization factor of 2: set it to 1',
    ],
    [
      'drops what it gives up',
      { DestinationConfig: { OnFailure: {} } },
      'error',
      'mapping-without-destination',
      'set one on failure',
    ],
    [
      'filters nothing',
      filtered(),
      'warning',
      'mapping-unfiltered',
      `wakes up for every change: set the filter ${news}`,
    ],
    [
      'asks for more than news',
      filtered({ ...newsPattern, eventName: ['INSERT'] }),
      'error',
      'mapping-filter',
      `"eventName":["INSERT"]`,
    ],
    [
      'has a filter that is no JSON',
      { FilterCriteria: { Filters: [{ Pattern: 'news' }] } },
      'error',
      'mapping-filter',
      `has the filter news, which may hold events back: set it to ${news}`,
    ],
  ])('that %s is told with its remedy', (_, change, level, code, says) => {
    expect(found({ ...ofStream, ...change })).toEqual([
      { level, code, sentence: expect.stringContaining(says) },
    ]);
  });

  it.each([60, 86_399])('may give records up at an age of %i s', (most) => {
    expect(found({ ...ofStream, MaximumRecordAgeInSeconds: most })).toEqual([]);
  });

  it('may spell its filter in another order, and have others beside it', () => {
    const { eventName, dynamodb } = newsPattern;
    const filters = filtered({ dynamodb, eventName }, { eventName: ['REMOVE'] });

    expect(found({ ...ofStream, ...filters })).toEqual([]);
  });

  it('isn’t judged by a stream that nobody could read', () => {
    const mapping = { what: 'mapping', real: 'id', ours: ['mine'] } as const;

    expect(mappingMistakes(ofStream, mapping, undefined)).toEqual([]);
  });

  it('is told all that is wrong with it', () => {
    const all = found({ EventSourceArn: stream, State: 'Disabled' });

    expect(all.map(({ code }) => code)).toEqual([
      'mapping-disabled',
      'mapping-partial-responses-off',
      'mapping-start',
      'mapping-bisect-off',
      'mapping-record-age',
      'mapping-without-destination',
      'mapping-unfiltered',
    ]);
  });
});
