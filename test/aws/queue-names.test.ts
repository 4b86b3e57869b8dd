import { describe, expect, it } from 'vitest';
import { makeResources } from '../../lib/aws/make-resources.ts';
import { checkQueueNames } from '../../lib/aws/queue-names.ts';
import { minutes } from '../../lib/index.ts';

const commands = (letters: number): string => `commands-${'a'.repeat(letters)}.fifo`;

describe('the name of a queue', () => {
  it.each([
    ['a job’s', 'dev', commands(57)],
    ['a standard queue’s', 'dev', 'a'.repeat(71)],
  ])('may be as long as SQS takes, %s', (_, prefix, name) => {
    expect(() => checkQueueNames(prefix, [name])).not.toThrow();
  });

  it.each<[string, string, string, RegExp]>([
    [
      'a job’s',
      'dev',
      commands(58),
      /"dev-commands-a{58}-dead.fifo", which has 81 .* takes 80: .* "dev" by 1$/,
    ],
    ['a job’s longest', 'dev', commands(64), /has 87 characters, .* takes 80: .* by 7$/],
    ['a standard queue’s', 'dev', 'a'.repeat(72), /has 81 characters, .* takes 80: .* by 1$/],
    [
      'one behind a long prefix',
      'p'.repeat(64),
      'orders.fifo',
      /"p{64}-orders-dead.fifo", which has 81 /,
    ],
  ])('is refused where its dead-letter queue’s is longer, %s', (_, prefix, name, sentence) => {
    expect(() => checkQueueNames(prefix, ['short.fifo', name])).toThrow(
      expect.objectContaining({
        code: 'queue-name-too-long',
        facts: { queue: name },
        message: expect.stringMatching(sentence),
      }),
    );
  });

  it('is looked at before anything is made', async () => {
    const made = makeResources({
      endpoint: 'http://127.0.0.1:1',
      prefix: 'dev',
      tables: [],
      queues: [
        {
          name: commands(64),
          role: 'commands',
          visibilityTimeout: minutes(6),
          maxReceiveCount: 1_000,
        },
      ],
    });

    await expect(made).rejects.toMatchObject({ code: 'queue-name-too-long' });
  });
});
