import { permanent } from '../kernel/failure.ts';

/** The longest name of a queue, with its `.fifo` (API reference of CreateQueue). */
const longest = 80;

/** A queue's real name in two parts, so that its dead-letter queue's fits between them. */
export const queueNameParts = (
  prefix: string,
  name: string,
): { readonly plain: string; readonly suffix: string } => ({
  plain: `${prefix}-${name.replace(/\.fifo$/, '')}`,
  suffix: name.endsWith('.fifo') ? '.fifo' : '',
});

/** @throws Failure `queue-name-too-long` for a queue whose dead-letter queue SQS wouldn't take by its name */
export function checkQueueNames(prefix: string, names: readonly string[]): void {
  for (const name of names) {
    const { plain, suffix } = queueNameParts(prefix, name);
    const dead = `${plain}-dead${suffix}`;
    if (dead.length <= longest) continue;
    throw permanent(
      'queue-name-too-long',
      `the dead-letter queue of "${name}" would be called "${dead}", which has ${dead.length} characters, and SQS takes ${longest}: shorten the name or the prefix "${prefix}" by ${dead.length - longest}`,
      { facts: { queue: name } },
    );
  }
}
