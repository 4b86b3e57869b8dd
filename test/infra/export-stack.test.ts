import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { exportStack } from '../../infra/export-stack.ts';
import type { Stage } from '../../infra/stage.ts';

describe('the sample’s stack', () => {
  it.each<[Stage, string, { alarms: boolean; filters: boolean; dashboards: number }]>([
    ['prod', 'with a dashboard', { alarms: true, filters: true, dashboards: 1 }],
    ['dev', 'without a dashboard', { alarms: true, filters: true, dashboards: 0 }],
    ['local', 'not at all, for an emulator', { alarms: false, filters: false, dashboards: 0 }],
  ])('is watched in %s %s', (stage, _, expected) => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const template = Template.fromStack(exportStack(app, stage));
    const count = (type: string) => Object.keys(template.findResources(type)).length;

    expect({
      alarms: count('AWS::CloudWatch::Alarm') > 0,
      filters: count('AWS::Logs::MetricFilter') > 0,
      dashboards: count('AWS::CloudWatch::Dashboard'),
    }).toEqual(expected);
  });
});
