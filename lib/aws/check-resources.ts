import type { Failure } from '../kernel/failure.ts';
import type { CheckedSettings } from './aws-settings.ts';
import { failureOnly, Inspection } from './inspection.ts';
import { onceOnly } from './look-failure.ts';
import { TellingHandler, unreachable } from './telling-handler.ts';

/**
 * Looks at every table, the bucket and every target that the settings of `onAws` name, all side by side, and answers
 * one failure per thing that is wrong: a sentence that names the resource and the remedy. Answers none when a worker may
 * start. What is the same for every resource (no endpoint, no region, no credentials) is told once.
 *
 * It changes nothing and needs `dynamodb:DescribeTable`, `s3:ListBucket`, and, for what the targets are,
 * `sqs:GetQueueAttributes`, `sqs:GetQueueUrl`, `sns:GetTopicAttributes` and `events:DescribeEventBus`.
 * @example
 * import { checkResources } from 'lanekeeper/aws';
 *
 * for (const { code, message } of await checkResources()) console.error(`${code}: ${message}`);
 */
export async function checkResources(settings: CheckedSettings = {}): Promise<readonly Failure[]> {
  const requestHandler = new TellingHandler();
  const inspection = new Inspection(settings, process.env, requestHandler);
  try {
    const found = await Promise.all([
      inspection.tables().catch(failureOnly),
      inspection.bucket().catch(failureOnly),
      inspection.targets().catch(failureOnly),
    ]);
    return toldOnce(found.flat());
  } finally {
    requestHandler.destroy();
  }
}

function toldOnce(all: readonly Failure[]): readonly Failure[] {
  const dead = all.filter(({ code }) => code === 'endpoint-unreachable');
  const endpoints = new Set(dead.map(({ facts }) => String(facts['endpoint'])));
  const [first] = dead;
  const rest = all.filter(
    ({ code }, i) => !onceOnly.has(code) || all.findIndex((other) => other.code === code) === i,
  );
  if (first === undefined) return rest;
  return [
    unreachable([...endpoints], String(first.facts['why']), first.cause),
    ...rest.filter(({ code }) => code !== first.code),
  ];
}
