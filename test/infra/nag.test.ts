import { App, aws_kms as kms, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { Lanekeeper, type LanekeeperProps, OrderedWorker } from '../../lib/infra/index.ts';
import { copyJob, entry } from './made.ts';

/** Synthesizes under the rules of AWS Solutions; a finding without a written reason throws. */
function checked(make: (stack: Stack) => unknown): void {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  make(new Stack(app, 'Test'));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
}

const withOne = (more: Partial<LanekeeperProps>) => (stack: Stack) =>
  new Lanekeeper(stack, 'Lanekeeper', { jobs: [{ job: copyJob, entry }], ...more });

describe('the rules of AWS Solutions', () => {
  it.each<[string, (stack: Stack) => unknown]>([
    ['jobs and consumers', withOne({ consumers: { audit: { entry } } })],
    ['data that is thrown away', withOne({ data: 'throw-away' })],
    [
      'what a key of one’s own encrypts, traced',
      (stack) => {
        const encryptionKey = new kms.Key(stack, 'Key', { enableKeyRotation: true });
        return withOne({ consumers: { audit: { entry } }, encryptionKey, tracing: true })(stack);
      },
    ],
    ['a queue without jobs', (stack) => new OrderedWorker(stack, 'Orders', { entry })],
    [
      'a queue that remembers',
      (stack) => new OrderedWorker(stack, 'Orders', { entry, remembers: true }),
    ],
  ])('find nothing without a written reason in %s', (_, make) => {
    expect(() => checked(make)).not.toThrow();
  });
});
