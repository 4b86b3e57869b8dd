import { describe, expect, it } from 'vitest';
import type { LanekeeperProps } from '../../lib/infra/index.ts';
import { entry, made } from './made.ts';

interface Widget {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly properties: {
    readonly title: string;
    readonly metrics: readonly (readonly unknown[])[];
    readonly annotations?: { readonly horizontal: readonly { value: number; label: string }[] };
  };
}

/** What each graph of a dashboard shows, by its title: names of metrics, with the label where there is one. */
function graphs(props: Partial<LanekeeperProps> = {}) {
  const { template } = made(props);
  const [board] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const parts: readonly unknown[] = board?.['Properties'].DashboardBody['Fn::Join'][1];
  const text = parts.map((part) => (typeof part === 'string' ? part : 'token')).join('');
  const { widgets }: { readonly widgets: readonly Widget[] } = JSON.parse(text);
  return widgets;
}

const shown = ({ properties: { title, metrics } }: Widget) => [
  title,
  metrics.map((one) => `${String(one[1]).split('/').pop()}${labelOf(one.at(-1))}`),
];

function labelOf(last: unknown): string {
  const { label } = last as { readonly label?: string };
  return label === undefined ? '' : ` ${label}`;
}

const ofFunction = (name: string) => [
  [`${name}: duration`, ['Duration p50', 'Duration p99']],
  [`${name}: errors and throttles`, ['Errors errors', 'Throttles throttles']],
  [`${name}: concurrent`, ['ConcurrentExecutions']],
];

describe('a dashboard', () => {
  it('goes from what users see to what causes it, with a row per function behind a queue', () => {
    const widgets = graphs();

    expect(widgets.map(shown)).toEqual([
      [
        'Oldest message',
        ['ApproximateAgeOfOldestMessage Job-copy', 'ApproximateAgeOfOldestMessage Consumer-audit'],
      ],
      [
        'Messages visible',
        [
          'ApproximateNumberOfMessagesVisible Job-copy',
          'ApproximateNumberOfMessagesVisible Consumer-audit',
        ],
      ],
      [
        'Dead letters',
        [
          'ApproximateNumberOfMessagesVisible Job-copy',
          'ApproximateNumberOfMessagesVisible Consumer-audit',
        ],
      ],
      ['Relay: age of what it reads', ['IteratorAge']],
      ['Relay: published', ['NumberOfMessagesPublished events', 'NumberOfMessagesSent Job-copy']],
      [
        'Relay: set aside and held',
        ['event-set-aside event-set-aside', 'publish-held publish-held'],
      ],
      ['Reconcile: had to send', ['events-reconciled events-reconciled']],
      ['Reconcile: age of the oldest unproved event', ['backlog-oldest oldest, ms']],
      ['Reconcile: set aside, and idle jobs', ['backlog-aside set aside', 'backlog-idle idle']],
      ...ofFunction('Job-copy'),
      ...ofFunction('Consumer-audit'),
      [
        'Fenced writes and takeovers',
        ['write-fenced write-fenced', 'job-taken-over job-taken-over'],
      ],
      ['Orphans collected', ['orphans-collected orphans-collected']],
      [
        'Groups parked, messages dead-lettered, commands let go',
        [
          'group-parked group-parked',
          'message-dead-lettered message-dead-lettered',
          'command-let-go command-let-go',
        ],
      ],
    ]);
    expect(widgets.map(({ x, y }) => [x, y])).toEqual(
      widgets.map((_, i) => [(i % 3) * 8, Math.floor(i / 3) * 6]),
    );
  });

  it('has a row for each of many queues', () => {
    const consumers = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { entry }]));

    const titles = graphs({ consumers }).map(({ properties: { title } }) => title);

    expect(titles.filter((title) => title.endsWith(': duration'))).toEqual(
      ['Job-copy', 'Consumer-a', 'Consumer-b', 'Consumer-c'].map((name) => `${name}: duration`),
    );
  });

  it('draws a function’s timeout over its durations, and what alarms over what waits', () => {
    const lines = graphs().flatMap(({ properties: { title, annotations } }) =>
      (annotations?.horizontal ?? []).map(({ value, label }) => [title, label, value]),
    );

    expect(lines).toEqual([
      ['Oldest message', 'alarm', 900],
      ['Relay: age of what it reads', 'alarm', 900_000],
      ['Job-copy: duration', 'timeout', 60_000],
      ['Consumer-audit: duration', 'timeout', 60_000],
    ]);
  });

  it.each<[string, Partial<LanekeeperProps>, number]>([
    ['there by default', {}, 1],
    ['not there where data is thrown away, since such stacks are many', { data: 'throw-away' }, 0],
    ['there where it is asked for', { data: 'throw-away', dashboard: true }, 1],
    ['not there where it isn’t wanted', { dashboard: false }, 0],
  ])('is %s', (_, props, count) => {
    const { lanekeeper, template } = made(props);

    template.resourceCountIs('AWS::CloudWatch::Dashboard', count);
    expect(lanekeeper.dashboard === undefined).toBe(count === 0);
    expect(lanekeeper.alarms.length).toBeGreaterThan(0);
  });
});
