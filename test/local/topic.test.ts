import { describe, expect, it } from 'vitest';
import { later, milliseconds, minutes } from '../../lib/kernel/time.ts';
import { Queue } from '../../lib/local/fifo-queue.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { Topic } from '../../lib/local/topic.ts';
import { at } from '../job/rows.ts';

/** A topic with its subscribers, by their names. */
function aTopic(names: readonly string[] = ['mail.fifo', 'stock.fifo']) {
  const clock = new HandClock(at(0));
  const random = new SeededRandom(1, clock);
  const queues = names.map(
    (name) => new Queue({ name, clock, random, visibilityTimeout: minutes(1) }),
  );
  return { topic: new Topic(clock, queues), queues, clock };
}

/** What is published under a name: its letter is the group. */
const sending = (name: string) => ({ body: name, group: name.charAt(0), dedupId: name });

const bodies = (all: readonly { readonly body: string }[]): readonly string[] =>
  all.map(({ body }) => body);

describe('a topic', () => {
  it('gives each subscribed queue every message, in order', () => {
    const { topic, queues } = aTopic();

    for (const name of ['A1', 'B1', 'A2']) topic.send(sending(name));

    expect(queues.map((queue) => bodies(queue.messages()))).toEqual([
      ['A1', 'B1', 'A2'],
      ['A1', 'B1', 'A2'],
    ]);
  });

  it('lets one subscriber delete nothing of another’s', () => {
    const { topic, queues } = aTopic();
    topic.send(sending('A1'));

    const [record] = queues[0]?.receive(10) ?? [];
    queues[0]?.delete(record?.receiptHandle ?? '');

    expect(queues.map((queue) => bodies(queue.messages()))).toEqual([[], ['A1']]);
  });

  it.each([
    [
      'swallows a repeat within five minutes, though a subscriber was done with the first',
      299_999,
      [],
    ],
    ['takes the same id for a new message once five minutes are over', 300_000, ['A1']],
  ])('%s', (_, wait, left) => {
    const { topic, queues, clock } = aTopic(['mail.fifo']);
    topic.send(sending('A1'));
    const [record] = queues[0]?.receive(10) ?? [];
    queues[0]?.delete(record?.receiptHandle ?? '');

    clock.step(later(clock.now(), milliseconds(wait)));
    topic.send(sending('A1'));

    expect(bodies(queues[0]?.messages() ?? [])).toEqual(left);
  });

  it('keeps a log of what was published, in order, repeats included', () => {
    const { topic } = aTopic([]);

    for (const name of ['A1', 'B1', 'A1']) topic.send(sending(name));

    expect(bodies(topic.published())).toEqual(['A1', 'B1', 'A1']);
  });

  it('takes 256 KiB, and refuses a byte more (fact outbox Q1)', () => {
    const { topic, queues } = aTopic(['mail.fifo']);
    const most = 256 * 1024;

    topic.send({ ...sending('A1'), body: 'x'.repeat(most) });
    const refused = () => topic.send({ ...sending('A2'), body: 'x'.repeat(most + 1) });

    expect(refused).toThrow(`a topic takes at most ${most} bytes, got ${most + 1}`);
    expect(queues[0]?.messages()).toHaveLength(1);
  });

  it('counts the bytes of UTF-8, and those of attributes', () => {
    const { topic } = aTopic([]);
    const half = 128 * 1024;

    const umlauts = () => topic.send({ ...sending('A1'), body: 'ä'.repeat(half + 1) });
    const attributes = () =>
      topic.send({
        ...sending('A1'),
        body: 'x'.repeat(half),
        attributes: { trace: 'x'.repeat(half) },
      });

    expect(umlauts).toThrow('at most');
    expect(attributes).toThrow('at most');
  });

  it('remembers and logs nothing of what it refuses, though nobody has subscribed', () => {
    const { topic } = aTopic([]);
    const bad = { ...sending('A1'), group: 'two words' };

    expect(() => topic.send(bad)).toThrow('group id');
    expect(() => topic.send(bad)).toThrow('group id');

    expect(topic.published()).toEqual([]);
  });
});
