import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { exportStack } from '../../infra/export-stack.ts';
import type { Stage } from '../../infra/stage.ts';
import { permissions } from './permissions.ts';

const templateOf = (stage: Stage): Template =>
  Template.fromStack(exportStack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), stage));

describe('the sample’s stack', () => {
  it.each<[Stage, string, { alarms: boolean; filters: boolean; dashboards: number }]>([
    ['prod', 'with a dashboard', { alarms: true, filters: true, dashboards: 1 }],
    ['dev', 'without a dashboard', { alarms: true, filters: true, dashboards: 0 }],
    ['local', 'not at all, for an emulator', { alarms: false, filters: false, dashboards: 0 }],
  ])('is watched in %s %s', (stage, _, expected) => {
    const template = templateOf(stage);
    const count = (type: string) => Object.keys(template.findResources(type)).length;

    expect({
      alarms: count('AWS::CloudWatch::Alarm') > 0,
      filters: count('AWS::Logs::MetricFilter') > 0,
      dashboards: count('AWS::CloudWatch::Dashboard'),
    }).toEqual(expected);
  });

  it.each<[Stage, string, boolean]>([
    ['prod', 'Retain', true],
    ['dev', 'Delete', false],
  ])(
    'has a catalogue table in %s, with backups and a time to live (%s)',
    (stage, policy, isProtected) => {
      templateOf(stage).hasResource('AWS::DynamoDB::Table', {
        DeletionPolicy: policy,
        Properties: {
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
          TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: isProtected,
        },
      });
      const tables = templateOf(stage).findResources('AWS::DynamoDB::Table');
      expect(Object.keys(tables).filter((id) => id.startsWith('Catalogue'))).toHaveLength(1);
    },
  );

  it('lets the catalogue read job rows, and write its own table alone', () => {
    const own = permissions(templateOf('dev'))['ConsumercatalogueFunctionRole'] ?? [];

    expect(own.filter((one) => / on (TablesJobs|Catalogue)/.test(one))).toEqual([
      'dynamodb:ConditionCheckItem on Catalogue',
      'dynamodb:DeleteItem on Catalogue',
      'dynamodb:GetItem on Catalogue',
      'dynamodb:GetItem on TablesJobs',
      'dynamodb:PutItem on Catalogue',
      'dynamodb:Query on Catalogue',
      'dynamodb:UpdateItem on Catalogue',
    ]);
  });
});
