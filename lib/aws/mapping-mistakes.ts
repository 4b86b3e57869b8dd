import type { EventSourceMappingConfiguration as Found } from '@aws-sdk/client-lambda';
import { canonical } from '../kernel/json.ts';
import { newsPattern } from '../kernel/settings.ts';
import { error, type Finding, warning } from './finding.ts';
import { type Resource, wrong } from './resource.ts';

/** Something that must hold of a mapping as Lambda describes it, and what is said where it doesn't. */
interface Rule {
  readonly code: string;
  readonly level?: Finding['level'];
  holds(found: Found): boolean;
  says(found: Found): string;
}

/** What is wrong with a mapping; a stream's must read `stream`, which is unknown where the table can't be read. */
export function mappingMistakes(
  found: Found,
  mapping: Resource,
  stream: string | undefined,
): readonly Finding[] {
  const own = readsQueue(found) ? ofQueue : [...ofStream, reading(stream)];
  return [...ofAny, ...own]
    .filter(({ holds }) => !holds(found))
    .map(({ code, level, says }) => {
      const failure = wrong(mapping, code, says(found));
      return level === 'warning' ? warning(failure) : error(failure);
    });
}

/** Whether a mapping reads a queue, and no stream. */
export const readsQueue = ({ EventSourceArn = '' }: Found): boolean =>
  EventSourceArn.split(':')[2] === 'sqs';

/** States that pass by themselves. */
const passing: readonly string[] = ['Creating', 'Enabling', 'Updating'];

const ofAny: readonly Rule[] = [
  {
    code: 'mapping-disabled',
    holds: ({ State = '' }) => State === 'Enabled' || passing.includes(State),
    says: ({ State, StateTransitionReason: why }) =>
      `is ${State}${why === undefined ? '' : ` (${why})`}, so nothing is read: enable it`,
  },
  {
    code: 'mapping-changing',
    level: 'warning',
    holds: ({ State = '' }) => !passing.includes(State),
    says: ({ State }) => `is ${State}: look again in a minute`,
  },
  {
    code: 'mapping-troubled',
    level: 'warning',
    holds: ({ LastProcessingResult: last = '' }) => !/^PROBLEM/i.test(last),
    says: ({ LastProcessingResult: last }) =>
      `ended its last batch with "${last}": look at its function's log`,
  },
  {
    code: 'mapping-partial-responses-off',
    holds: ({ FunctionResponseTypes: types = [] }) => types.includes('ReportBatchItemFailures'),
    says: ({ FunctionResponseTypes: types = [] }) =>
      `has the response types [${types.join(', ')}], so what a batch hands back counts as done: set them to [ReportBatchItemFailures]`,
  },
];

const ofQueue: readonly Rule[] = [
  {
    code: 'mapping-not-fifo',
    holds: ({ EventSourceArn = '' }) => EventSourceArn.endsWith('.fifo'),
    says: ({ EventSourceArn }) =>
      `reads the standard queue ${EventSourceArn}, which keeps no order: make it anew behind a FIFO queue`,
  },
  {
    code: 'mapping-batch-size',
    holds: ({ BatchSize = 10 }) => BatchSize >= 1 && BatchSize <= 10,
    says: ({ BatchSize }) => `has a batch size of ${BatchSize}: set 1 to 10, as a FIFO queue asks`,
  },
  {
    code: 'mapping-window',
    holds: ({ MaximumBatchingWindowInSeconds: window = 0 }) => window === 0,
    says: ({ MaximumBatchingWindowInSeconds: window }) =>
      `waits ${window} s to fill a batch, while the messages' visibility runs: set its batching window to 0`,
  },
  {
    code: 'mapping-filter',
    holds: (found) => patternsOf(found).length === 0,
    says: (found) =>
      `has the filter ${patternsOf(found).join(' or ')}, and deletes every message that doesn't pass: remove it`,
  },
];

/** A stream keeps its records for 24 hours; Lambda takes 60 s or more (API reference of CreateEventSourceMapping). */
const age = { least: 60, below: 86_400 } as const;

const ofStream: readonly Rule[] = [
  {
    code: 'mapping-start',
    holds: ({ StartingPosition: start }) => start === 'TRIM_HORIZON',
    says: ({ StartingPosition: start }) =>
      `started at ${start}, past events that were there before: make it anew with TRIM_HORIZON, since its start can't be changed`,
  },
  {
    code: 'mapping-bisect-off',
    holds: ({ BisectBatchOnFunctionError: halves }) => halves === true,
    says: () => 'retries a batch that fails as a whole: set BisectBatchOnFunctionError to true',
  },
  {
    code: 'mapping-retries',
    holds: ({ MaximumRetryAttempts: most = -1 }) => most === -1,
    says: ({ MaximumRetryAttempts: most }) =>
      `gives records up after ${most} retries, and their events are lost: set MaximumRetryAttempts to -1`,
  },
  {
    code: 'mapping-record-age',
    holds: ({ MaximumRecordAgeInSeconds: most = -1 }) => most >= age.least && most < age.below,
    says: ({ MaximumRecordAgeInSeconds: most = -1 }) =>
      `gives records up at an age of ${most === -1 ? 'no limit' : `${most} s`}, but the stream ends them at 24 h without a trace: set MaximumRecordAgeInSeconds to ${age.least} to ${age.below - 1}, such as 82800`,
  },
  {
    code: 'mapping-factor',
    holds: ({ ParallelizationFactor: factor = 1 }) => factor === 1,
    says: ({ ParallelizationFactor: factor }) =>
      `has a parallelization factor of ${factor}: set it to 1, since events of a job may be in several items`,
  },
  {
    code: 'mapping-without-destination',
    holds: ({ DestinationConfig: to }) => (to?.OnFailure?.Destination ?? '') !== '',
    says: () => 'has no destination for what it gives up, which is lost then: set one on failure',
  },
  {
    code: 'mapping-unfiltered',
    level: 'warning',
    holds: (found) => patternsOf(found).length > 0,
    says: () =>
      `has no filter, so the relay wakes up for every change: set the filter ${JSON.stringify(newsPattern)}`,
  },
  {
    code: 'mapping-filter',
    holds: (found) => patternsOf(found).length === 0 || patternsOf(found).some(passesNews),
    says: (found) =>
      `has the filter ${patternsOf(found).join(' or ')}, which may hold events back: set it to ${JSON.stringify(newsPattern)}`,
  },
];

const reading = (stream: string | undefined): Rule => ({
  code: 'stream-changed',
  holds: ({ EventSourceArn }) => stream === undefined || EventSourceArn === stream,
  says: ({ EventSourceArn }) =>
    `reads ${EventSourceArn}, but the jobs table's stream is ${stream}: the stream was made anew, or is another table's, so make the mapping anew for it`,
});

const patternsOf = ({ FilterCriteria }: Found): readonly string[] =>
  (FilterCriteria?.Filters ?? []).map(({ Pattern = '' }) => Pattern);

function passesNews(pattern: string): boolean {
  try {
    return canonical(JSON.parse(pattern)) === canonical(newsPattern);
  } catch {
    return false;
  }
}
