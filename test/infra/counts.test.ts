import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureLog } from '../../functions/export/failure-log.ts';
import { onAws } from '../../lib/aws/index.ts';
import { type CountedKind, countedKinds } from '../../lib/kernel/counted.ts';
import type { Happening } from '../../lib/kernel/happening.ts';
import { counted, failing } from '../observe/told.ts';
import { aStack, made } from './made.ts';

interface Filter {
  readonly FilterPattern: string;
  readonly LogGroupName: { readonly Ref: string };
  readonly MetricTransformations: readonly [
    {
      readonly MetricNamespace: string;
      readonly MetricName: string;
      readonly MetricValue: string;
      readonly DefaultValue: number;
    },
  ];
}

type Line = Readonly<Record<string, unknown>>;

/** As CloudWatch Logs reads the only form of pattern that is used here; any other is a mistake. */
function matches({ FilterPattern }: Filter, line: Line): boolean {
  const [, field = '', value] = /^\{ \$\.(\w+) = "([^"*]+)" \}$/.exec(FilterPattern) ?? [];
  if (value === undefined) throw new Error(`not a pattern that this test reads: ${FilterPattern}`);
  return line[field] === value;
}

/** What a filter adds to its metric for a line. */
function worth({ MetricTransformations: [{ MetricValue }] }: Filter, line: Line): number {
  return Number(MetricValue.startsWith('$.') ? line[MetricValue.slice(2)] : MetricValue);
}

const metricOf = ({ MetricTransformations: [{ MetricNamespace, MetricName }] }: Filter) =>
  `${MetricNamespace} ${MetricName.split('/').pop()}`;

const { lanekeeper, template } = made();
const filters = Object.values(template.findResources('AWS::Logs::MetricFilter')).map(
  ({ Properties }): Filter => Properties,
);

let printed: string[] = [];
beforeAll(() => {
  const print = (line: string | Uint8Array) => printed.push(String(line)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
});
beforeEach(() => {
  printed = [];
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** The only line that an observer prints. */
function lineOf(observe: (happening: Happening) => void, happening: Happening): Line {
  observe(happening);
  expect(printed).toHaveLength(1);
  return JSON.parse(printed[0] ?? '');
}

const observers = [
  ['the default observer', () => onAws().observe],
  ['a Logger of Powertools', () => failureLog(new Logger({ serviceName: 'export-worker' }))],
] as const;

describe.each(observers)('a line of %s', (_, observer) => {
  it.each(countedKinds)('is counted for %s, by the metric of that name and no other', (kind) => {
    const line = lineOf(observer(), counted[kind]);

    const counting = filters.filter((one) => matches(one, line));

    const expected: Partial<Record<CountedKind, number>> = { 'orphans-collected': 4 };
    expect(new Set(counting.map(metricOf))).toEqual(new Set([`lanekeeper ${kind}`]));
    expect(new Set(counting.map((one) => worth(one, line)))).toEqual(
      new Set([expected[kind] ?? 1]),
    );
  });

  it.each(failing)('is counted by nothing for $kind', (happening) => {
    const line = lineOf(observer(), happening);

    expect(filters.filter((one) => matches(one, line))).toEqual([]);
  });
});

describe('a count', () => {
  it('is taken from the logs of the functions that tell it', () => {
    const logOf = ({ LogGroupName: { Ref } }: Filter) =>
      Ref.replace(/^Lanekeeper|FunctionLogs[0-9A-F]{8}$/g, '');
    const told = filters.map(logOf).map((log) => [
      log,
      filters
        .filter((one) => logOf(one) === log)
        .map(metricOf)
        .sort(),
    ]);

    expect(Object.fromEntries(told)).toEqual({
      Jobcopy: [
        'lanekeeper command-let-go',
        'lanekeeper job-finished-for',
        'lanekeeper job-taken-over',
        'lanekeeper manifest-ignored',
        'lanekeeper message-dead-lettered',
        'lanekeeper write-fenced',
      ],
      Consumeraudit: [
        'lanekeeper gap-filled',
        'lanekeeper gap-resynced',
        'lanekeeper gap-seen',
        'lanekeeper group-parked',
        'lanekeeper group-released',
        'lanekeeper message-dead-lettered',
        'lanekeeper message-dropped',
      ],
      Relay: ['lanekeeper event-set-aside', 'lanekeeper publish-held'],
      Sweeper: ['lanekeeper orphans-collected'],
      Reconcile: [
        'lanekeeper backlog',
        'lanekeeper backlog-aside',
        'lanekeeper backlog-idle',
        'lanekeeper backlog-oldest',
        'lanekeeper event-set-aside',
        'lanekeeper events-reconciled',
        'lanekeeper publish-held',
      ],
      Doctor: ['lanekeeper doctor-finding', 'lanekeeper doctor-looked'],
    });
  });

  it('is zero where nothing is told, and has no dimension', () => {
    const all = filters.map(({ MetricTransformations: [one] }) => one);

    expect(new Set(all.map(({ DefaultValue }) => DefaultValue))).toEqual(new Set([0]));
    expect(all.filter((one) => 'Dimensions' in one)).toEqual([]);
  });

  it('is a metric of the stack, named after it', () => {
    const [fenced] = filters.filter((one) => metricOf(one) === 'lanekeeper write-fenced');
    const name = fenced?.MetricTransformations[0].MetricName;

    expect(name).toMatch(/^Test-Lanekeeper-/);
    expect(lanekeeper.metricFencedWrites()).toMatchObject({
      namespace: 'lanekeeper',
      metricName: name,
      statistic: 'Sum',
    });
    expect(lanekeeper.metricParkedGroups({ statistic: 'max' })).toMatchObject({
      metricName: name?.replace('write-fenced', 'group-parked'),
      statistic: 'Maximum',
    });
  });

  it('tells two stacks apart', () => {
    const other = made({}, aStack('Other')).lanekeeper.metricFencedWrites().metricName;

    expect(other).not.toBe(lanekeeper.metricFencedWrites().metricName);
  });
});
