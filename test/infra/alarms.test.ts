import { readFileSync } from 'node:fs';
import { aws_logs as logs, aws_sns as sns } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { Lanekeeper, OrderedWorker } from '../../lib/infra/index.ts';
import { watch } from '../../lib/infra/watch.ts';
import { aStack, copyJob, entry, made } from './made.ts';
import { type AlarmRow, alarmsOf, rowOf } from './watched.ts';

/** What is watched of each queue and its function, in seconds, milliseconds and numbers of times. */
const ofQueue = (id: string, on: string): readonly AlarmRow[] => [
  [
    `${id}waits`,
    'AWS/SQS ApproximateAgeOfOldestMessage',
    `${on}MessagesQueue`,
    'Maximum',
    300,
    '>= 900',
    'waiting',
  ],
  [
    `${id}deadletters`,
    'AWS/SQS ApproximateNumberOfMessagesVisible',
    `${on}MessagesDeadLetters`,
    'Maximum',
    300,
    '>= 1',
    'dead-letters',
  ],
  [`${id}fails`, 'AWS/Lambda Errors', `${on}Function`, 'Sum', 300, '>= 1', 'worker-errors'],
  [`${id}throttled`, 'AWS/Lambda Throttles', `${on}Function`, 'Sum', 300, '>= 1', 'throttled'],
  [
    `${id}nearlylate`,
    'AWS/Lambda Duration',
    `${on}Function`,
    'Maximum',
    300,
    '>= 54000',
    'nearly-late',
  ],
];

const ofStack: readonly AlarmRow[] = [
  [
    'RelayIsLate',
    'AWS/Lambda IteratorAge',
    'RelayFunction',
    'Maximum',
    300,
    '>= 900000',
    'late-relay',
  ],
  ['RelayFails', 'AWS/Lambda Errors', 'RelayFunction', 'Sum', 300, '>= 1', 'relay-errors'],
  ['RelayIsThrottled', 'AWS/Lambda Throttles', 'RelayFunction', 'Sum', 300, '>= 1', 'throttled'],
  ['SweeperFails', 'AWS/Lambda Errors', 'SweeperFunction', 'Sum', 300, '>= 1', 'orphans'],
  ['WritesAreFenced', 'lanekeeper write-fenced', '', 'Sum', 300, '>= 10', 'fenced-writes'],
  ['CommandsAreLetGo', 'lanekeeper command-let-go', '', 'Sum', 300, '>= 1', 'let-go'],
  ['EventsAreSetAside', 'lanekeeper event-set-aside', '', 'Sum', 300, '>= 1', 'set-aside'],
  ['ManyOrphans', 'lanekeeper orphans-collected', '', 'Sum', 3_600, '>= 100', 'orphans'],
  ['GroupsAreParked', 'lanekeeper group-parked', '', 'Sum', 300, '>= 1', 'parked-groups'],
];

/** An hour and its quarter, as reconcile's schedule and the longest wait are by default. */
const ofReconcile: readonly AlarmRow[] = [
  ['EventsAreReconciled', 'lanekeeper events-reconciled', '', 'Sum', 300, '>= 1', 'lost-events'],
  [
    'EventsAreUnproved',
    'lanekeeper backlog-oldest',
    '',
    'Maximum',
    3_600,
    '>= 8100000',
    'lost-events',
  ],
  ['EventsStaySetAside', 'lanekeeper backlog-aside', '', 'Maximum', 3_600, '>= 1', 'set-aside'],
  ['JobsAreIdle', 'lanekeeper backlog-idle', '', 'Maximum', 3_600, '>= 1', 'idle-jobs'],
  ['ReconcileFails', 'AWS/Lambda Errors', 'ReconcileFunction', 'Sum', 300, '>= 1', 'reconcile'],
  ['ReconcileDoesNotRun', 'lanekeeper backlog', '', 'Sum', 7_200, '< or none: 1', 'reconcile'],
];

const ofDoctor: readonly AlarmRow[] = [
  ['DoctorFindsSomething', 'lanekeeper doctor-finding', '', 'Sum', 300, '>= 1', 'doctor'],
  ['DoctorDoesNotLook', 'lanekeeper doctor-looked', '', 'Sum', 3_600, '< or none: 1', 'doctor'],
];

const byId = (rows: readonly AlarmRow[]) => Object.fromEntries(rows.map((row) => [row[0], row]));
const rowsOf = (template: Template) => byId(alarmsOf(template).map(rowOf));

describe('an alarm', () => {
  it('watches relay, sweeper, reconcile, doctor, fence, parked groups, and every queue and its function', () => {
    const { lanekeeper, template } = made();

    const expected = [
      ...ofStack,
      ...ofReconcile,
      ...ofDoctor,
      ...ofQueue('Jobcopy', 'Jobcopy'),
      ...ofQueue('Consumeraudit', 'Consumeraudit'),
    ];
    expect(rowsOf(template)).toEqual(byId(expected));
    expect(lanekeeper.alarms).toHaveLength(expected.length);
  });

  it('tells a topic, and says in one sentence more than where to read on', () => {
    const stack = aStack();
    const topic = new sns.Topic(stack, 'Told');
    const { template } = made({ alarms: topic }, stack);

    const alarms = alarmsOf(template).map(([, alarm]) => alarm);

    expect(alarms.filter(({ AlarmActions }) => AlarmActions?.length !== 1)).toEqual([]);
    expect(
      alarms.filter(({ AlarmDescription: { length } }) => length < 60 || length > 1024),
    ).toEqual([]);
  });

  it('leads to a section of the page for operators, each of which some alarm leads to', () => {
    const headings = [
      ...(readFileSync('docs/operations.md', 'utf8')
        .split('## Alarms')[1]
        ?.split('\n## ')[0]
        ?.matchAll(/^### (.+)$/gm) ?? []),
    ].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));
    const anchors = alarmsOf(made().template).map(
      ([, { AlarmDescription }]) => AlarmDescription.split('docs/operations.md#')[1] ?? '',
    );

    expect([...new Set(anchors)].toSorted()).toEqual(headings.toSorted());
  });

  it('keeps a job and a consumer of one name apart', () => {
    const { template } = made({ consumers: { copy: { entry } } });

    expect(rowsOf(template)).toEqual(
      byId([
        ...ofStack,
        ...ofReconcile,
        ...ofDoctor,
        ...ofQueue('Jobcopy', 'Jobcopy'),
        ...ofQueue('Consumercopy', 'Consumercopy'),
      ]),
    );
  });

  it('is on findings of doctor, and on a doctor that does not look, where a function has its log', () => {
    const stack = aStack();
    const jobs = [{ job: copyJob, entry }];
    const lanekeeper = new Lanekeeper(stack, 'Lanekeeper', { jobs, watched: false });
    watch(new Construct(stack, 'Orders'), {
      relay: lanekeeper.relay.function,
      sweeper: lanekeeper.sweeper.function,
      topic: lanekeeper.topic,
      workers: [],
      consumers: [],
      doctor: new logs.LogGroup(stack, 'DoctorLogs'),
    });

    const template = Template.fromStack(stack);

    expect(rowsOf(template)).toEqual(byId([...ofStack, ...ofDoctor]));
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.kind = "doctor-looked" }',
      LogGroupName: { Ref: Match.stringLikeRegexp('^DoctorLogs') },
    });
  });

  it('watches a queue without jobs too, and the groups that are parked behind it', () => {
    const stack = aStack();
    const { alarms } = new OrderedWorker(stack, 'Orders', { entry });

    const expected = [
      ...ofQueue('Orders', 'Worker'),
      ...ofStack.filter(([id]) => id === 'GroupsAreParked'),
    ];
    expect(rowsOf(Template.fromStack(stack))).toEqual(byId(expected));
    expect(alarms).toHaveLength(expected.length);
  });

  it.each([
    ['jobs', () => made({ watched: false, data: 'keep' }).template],
    [
      'a queue without jobs',
      () => {
        const stack = aStack();
        new OrderedWorker(stack, 'Orders', { entry, watched: false });
        return Template.fromStack(stack);
      },
    ],
  ])('is not there, nor what it needs, where nobody watches %s', (_, make) => {
    const template = make();

    for (const kind of ['CloudWatch::Alarm', 'Logs::MetricFilter', 'CloudWatch::Dashboard'])
      template.resourceCountIs(`AWS::${kind}`, 0);
  });
});
