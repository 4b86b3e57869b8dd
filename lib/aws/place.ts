import { permanent } from '../kernel/failure.ts';

/** What a target's real name stands for. */
export type Place =
  | { readonly kind: 'queue'; readonly url: string }
  | { readonly kind: 'queue-by-arn' | 'topic' | 'bus'; readonly arn: string };

const arns = {
  'queue-by-arn': /^arn:[\w-]+:sqs:[\w-]+:\d{12}:[\w-]+(\.fifo)?$/,
  topic: /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+(\.fifo)?$/,
  bus: /^arn:[\w-]+:events:[\w-]+:\d{12}:event-bus\/[\w./-]+$/,
} as const;

/** Reads the real names of targets. @throws Failure `setting-malformed`, with the first wrong one's name and value */
export const placesOf = (targets: Readonly<Record<string, string>>): ReadonlyMap<string, Place> =>
  new Map(Object.entries(targets).map(([name, value]) => [name, placeOf(name, value)]));

/** Reads the real name of one target. @throws Failure `setting-malformed`, with its name and value */
export function placeOf(name: string, value: string): Place {
  if (/^https?:\/\/\S+$/.test(value)) return { kind: 'queue', url: value };
  for (const kind of ['queue-by-arn', 'topic', 'bus'] as const)
    if (arns[kind].test(value)) return { kind, arn: value };
  throw permanent(
    'setting-malformed',
    `the target "${name}" must be a queue's URL, or the ARN of a queue, a topic or an event bus, got ${JSON.stringify(value)}`,
    { facts: { target: name, value } },
  );
}

/** A queue that is named by its ARN instead of by a target's name. */
export const queueByArn = (target: string): Place | undefined =>
  arns['queue-by-arn'].test(target) ? { kind: 'queue-by-arn', arn: target } : undefined;
