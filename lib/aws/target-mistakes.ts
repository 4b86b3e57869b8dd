import type { Failure } from '../kernel/failure.ts';
import { type Resource, variableOf, wrong } from './resource.ts';

/** Attributes as SQS and SNS answer them: all of them texts. */
export type Attributes = Readonly<Record<string, string>>;

/** What is wrong with a queue, whose messages must stay hidden for as long as any of its functions may run, in milliseconds. */
export function queueMistakes(
  found: Attributes,
  queue: Resource,
  timeouts: readonly number[],
): readonly Failure[] {
  return [
    ...fifoMistakes(found['FifoQueue'], queue),
    ...hidingMistakes(Number(found['VisibilityTimeout']), queue, Math.max(0, ...timeouts) / 1_000),
  ];
}

/** What is wrong with a topic. */
export const topicMistakes = (found: Attributes, topic: Resource): readonly Failure[] =>
  fifoMistakes(found['FifoTopic'], topic);

/** The name and the attribute must both say FIFO. */
function fifoMistakes(attribute: string | undefined, resource: Resource): readonly Failure[] {
  const { what, real } = resource;
  if (real.endsWith('.fifo') && attribute === 'true') return [];
  const sentence = `is a standard ${what}, which keeps no order: make a FIFO ${what}, whose name ends in .fifo, and name it in ${variableOf(resource)}`;
  return [wrong(resource, `${what}-not-fifo`, sentence)];
}

/** Source: "Creating and configuring an Amazon SQS event source mapping", AWS Lambda Developer Guide. */
const advised = 6;

function hidingMistakes(hidden: number, queue: Resource, timeout: number): readonly Failure[] {
  if (!(hidden < timeout)) return [];
  const sentence = `hides a message for ${hidden} s, but its function may run for ${timeout} s: set its visibility timeout to ${advised * timeout} s`;
  return [wrong(queue, 'queue-visibility-short', sentence)];
}
