import { describe, expect, it } from 'vitest';
import type { GroupId } from '../../lib/kernel/brand.ts';
import { sizes } from '../../lib/kernel/settings.ts';
import { minutes } from '../../lib/kernel/time.ts';
import { Queue } from '../../lib/local/fifo-queue.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { LocalSender } from '../../lib/local/local-sender.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { Topic } from '../../lib/local/topic.ts';
import { senderContract } from '../contract/sender.contract.ts';
import { at } from '../job/rows.ts';

function opened(kind: 'queue' | 'topic') {
  const clock = new HandClock(at(0));
  const random = new SeededRandom(1, clock);
  const queue = new Queue({ name: 'events.fifo', clock, random, visibilityTimeout: minutes(1) });
  const target = kind === 'queue' ? queue : new Topic(clock, [queue]);
  const sender = new LocalSender(new Map([['events', target]]));
  return { sender, queue };
}

async function open(kind: 'queue' | 'topic') {
  const { sender, queue } = opened(kind);
  return {
    sender,
    target: 'events',
    most: kind === 'queue' ? sizes.queueMessage : sizes.topicMessage,
    arrived: async () => {
      const records = queue.receive(10);
      for (const { receiptHandle } of records) queue.delete(receiptHandle);
      return records.map(({ body, attributes, messageAttributes }) => ({
        body,
        group: attributes.MessageGroupId ?? '',
        attributes: Object.fromEntries(
          Object.entries(messageAttributes).map(([name, { stringValue = '' }]) => [
            name,
            stringValue,
          ]),
        ),
      }));
    },
  };
}

senderContract('a queue in memory', () => open('queue'));
senderContract('a topic in memory', () => open('topic'));

describe.each(['queue', 'topic'] as const)('a sender to a %s', (kind) => {
  it.each([
    ['a body of more than a mebibyte', { body: 'x'.repeat(1024 * 1024 + 1) }],
    ['an empty body', { body: '' }],
    ['a group id that SQS refuses', { group: 'two words' as GroupId }],
    ['an id of more than 128 characters', { id: 'x'.repeat(129) }],
  ])('refuses %s however often it is sent, and takes the entries around it', async (_, over) => {
    const { sender, queue } = opened(kind);
    const bad = { id: 'bad', group: 'B' as GroupId, body: 'B1', ...over };
    const entries = [
      { id: 'a', group: 'A' as GroupId, body: 'A1' },
      bad,
      { id: 'c', group: 'C' as GroupId, body: 'C1' },
    ];

    const first = await sender.send('events', entries);
    const second = await sender.send('events', entries);

    expect(first.map((verdict) => verdict.kind)).toEqual(['sent', 'refused', 'sent']);
    expect(second).toEqual(first);
    expect(queue.messages().map(({ body }) => body)).toEqual(['A1', 'C1']);
  });
});
