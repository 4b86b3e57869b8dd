import type { Template } from 'aws-cdk-lib/assertions';

/** An alarm's facts, as one line of a table. */
export type AlarmRow = readonly [
  id: string,
  metric: string,
  on: string,
  statistic: string,
  seconds: number,
  threshold: string,
  anchor: string,
];

interface Alarm {
  readonly AlarmDescription: string;
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Statistic: string;
  readonly Period: number;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly TreatMissingData: string;
  readonly EvaluationPeriods: number;
  readonly Dimensions?: readonly { readonly Value: unknown }[];
  readonly AlarmActions?: readonly unknown[];
}

/** All alarms of a template, by the names that a stack called Test gives. */
export const alarmsOf = (template: Template): readonly (readonly [string, Alarm])[] =>
  Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [
    id.replace(/^(Lanekeeper|Orders)?Alarms|[0-9A-F]{8}$/g, ''),
    Properties as Alarm,
  ]);

const signs: Readonly<Record<string, string>> = {
  'GreaterThanOrEqualToThreshold notBreaching': '>=',
  'LessThanThreshold breaching': '< or none:',
};

/** An alarm as a line of a table. */
export const rowOf = ([id, alarm]: readonly [string, Alarm]): AlarmRow => [
  id,
  `${alarm.Namespace} ${alarm.MetricName.split('/').pop()}`,
  (alarm.Dimensions ?? []).map(({ Value }) => shortOf(Value)).join(),
  alarm.Statistic,
  alarm.Period * alarm.EvaluationPeriods,
  `${signs[`${alarm.ComparisonOperator} ${alarm.TreatMissingData}`]} ${alarm.Threshold}`,
  /See docs\/operations\.md#([a-z-]+)$/.exec(alarm.AlarmDescription)?.[1] ?? '',
];

/** A resource by its logical id, without the stack's part and the hash. */
const shortOf = (value: unknown): string =>
  JSON.stringify(value).replace(/.*"(?:Lanekeeper|Orders)?([A-Za-z]+?)[0-9A-F]{8}".*/, '$1');
