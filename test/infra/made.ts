import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { complete, defineJob } from '../../lib/index.ts';
import { Lanekeeper, type LanekeeperProps } from '../../lib/infra/index.ts';

/** A job without code to speak of. */
export const copyJob = defineJob({
  name: 'copy',
  input: v.object({ text: v.string() }),
  run: async () => complete(),
});

export const entry = 'functions/export/worker.ts';

/** A stack that bundles nothing: templates say the same without. */
export const aStack = (id = 'Test'): Stack =>
  new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), id);

/** A stack with all that one job and one consumer need, or what else is asked for. */
export function made(
  props: Partial<LanekeeperProps> = {},
  stack: Stack = aStack(),
): {
  readonly stack: Stack;
  readonly lanekeeper: Lanekeeper;
  readonly template: Template;
} {
  const lanekeeper = new Lanekeeper(stack, 'Lanekeeper', {
    jobs: [{ job: copyJob, entry }],
    consumers: { audit: { entry } },
    ...props,
  });
  return { stack, lanekeeper, template: Template.fromStack(stack) };
}
