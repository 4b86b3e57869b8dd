import {
  aws_cloudwatch_actions as actions,
  aws_cloudwatch as cloudwatch,
  type aws_sns as sns,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { AllWatched, Watched } from './watched.ts';

/** What is watched, and who is told. */
export interface AlarmsProps {
  readonly watched: AllWatched;
  readonly told: sns.ITopic | undefined;
}

/** Alarms: each says in its description what it means, what to do, and where to read on. */
export class Alarms extends Construct {
  readonly alarms: readonly cloudwatch.Alarm[];

  constructor(scope: Construct, id: string, { watched, told }: AlarmsProps) {
    super(scope, id);
    this.alarms = Object.entries(watched).map(([name, one]) => {
      const alarm = new cloudwatch.Alarm(this, name, alarmOf(one));
      if (told !== undefined) alarm.addAlarmAction(new actions.SnsAction(told));
      return alarm;
    });
  }
}

function alarmOf({ metric, threshold, says, anchor, isLeast }: Watched): cloudwatch.AlarmProps {
  const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = cloudwatch.ComparisonOperator;
  const { BREACHING, NOT_BREACHING } = cloudwatch.TreatMissingData;
  return {
    metric,
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: isLeast === true ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: isLeast === true ? BREACHING : NOT_BREACHING,
    alarmDescription: `${says} See docs/operations.md#${anchor}`,
  };
}
