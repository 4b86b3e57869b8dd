import { deadLettersIn } from './dead-letters-in.ts';
import { error, type Finding } from './finding.ts';
import { type Resource, wrong } from './resource.ts';
import type { Attributes } from './target-mistakes.ts';

/** Source: "Creating and configuring an Amazon SQS event source mapping", AWS Lambda Developer Guide. */
const advised = 6;

/** What is wrong with a queue that a mapping reads, for a function that may run for so many seconds. */
export const sourceQueueMistakes = (
  found: Attributes,
  queue: Resource,
  timeout: number,
): readonly Finding[] => [
  ...hidingMistakes(Number(found['VisibilityTimeout']), queue, timeout),
  ...redriveMistakes(found['RedrivePolicy'], queue),
];

function hidingMistakes(hidden: number, queue: Resource, timeout: number): readonly Finding[] {
  if (hidden >= advised * timeout) return [];
  const sentence = `hides a message for ${hidden} s, less than six times the ${timeout} s that its function may run: set its visibility timeout to ${advised * timeout} s`;
  return [error(wrong(queue, 'queue-visibility-short', sentence))];
}

function redriveMistakes(policy: string | undefined, queue: Resource): readonly Finding[] {
  const arn = deadLettersIn(policy) ?? '';
  if (arn.endsWith('.fifo')) return [];
  const sentence =
    arn === ''
      ? 'has no dead-letter queue, so a message that fails for good blocks its group: set a redrive policy with a FIFO queue'
      : `has the dead-letter queue ${arn}, which is not FIFO: set a redrive policy with a FIFO queue`;
  return [error(wrong(queue, 'queue-without-dead-letters', sentence))];
}
