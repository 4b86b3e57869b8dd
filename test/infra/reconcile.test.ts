import { Duration } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { made } from './made.ts';
import { permissions } from './permissions.ts';

describe('reconcile, in a stack', () => {
  it('runs every hour, and at once when the relay is late or doctor finds something', () => {
    const { template } = made();

    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 hour)',
      Targets: [{ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('ReconcileFunction'), 'Arn'] } }],
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.cloudwatch'],
        'detail-type': ['CloudWatch Alarm State Change'],
        resources: [
          { 'Fn::GetAtt': [Match.stringLikeRegexp('RelayIsLate'), 'Arn'] },
          { 'Fn::GetAtt': [Match.stringLikeRegexp('DoctorFindsSomething'), 'Arn'] },
        ],
        detail: { state: { value: ['ALARM'] } },
      },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('ReconcileFunction'), 'Arn'] },
          Input: '{}',
        },
      ],
    });
  });

  it('scans a table without the time index, and asks the index where there is one', () => {
    const without = made();
    const { template } = made({ reconcile: { timeIndex: true } });

    const tables = without.template.findResources('AWS::DynamoDB::Table');
    expect(JSON.stringify(tables)).not.toContain('eventHour');
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      GlobalSecondaryIndexes: Match.arrayWith([
        {
          IndexName: 'time',
          KeySchema: [
            { AttributeName: 'eventHour', KeyType: 'HASH' },
            { AttributeName: 'eventAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ]),
    });
    expect(permissions(template)['ReconcileFunctionRole']).toContain(
      'dynamodb:Query on TablesJobs/index/time',
    );
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { LANEKEEPER_TIME_INDEX: 'on' } },
    });
  });

  it.each([
    [Duration.minutes(14), 14],
    [Duration.hours(13), 780],
  ])('refuses a schedule of %s', (every, minutes) => {
    expect(() => made({ reconcile: { every } })).toThrow(
      new RegExp(`reconcile.every lies between 15 minutes.*got ${minutes} minutes`),
    );
  });
});
