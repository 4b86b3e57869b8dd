import { describe, expect, it } from 'vitest';
import { days, hours, milliseconds, minutes, nothing, seconds } from '../../lib/kernel/time.ts';
import { aQueue, handleOf, passes, sending } from './queues.ts';

describe('a receive', () => {
  it('mixes groups, at most as many messages as asked for, each group in order', () => {
    const { send, bodies } = aQueue();
    send('A1', 'B1', 'A2', 'C1', 'B2', 'A3', 'C2');

    const all = bodies(10);

    expect([...all].sort()).toEqual(['A1', 'A2', 'A3', 'B1', 'B2', 'C1', 'C2']);
    for (const group of ['A', 'B', 'C']) {
      const own = all.filter((body) => body.startsWith(group));
      expect(own).toEqual([...own].sort());
    }
  });

  it('takes no more than its count', () => {
    const { send, bodies } = aQueue();
    send(...Array.from({ length: 15 }, (_, i) => `A${i + 10}`));

    expect(bodies(10)).toHaveLength(10);
    expect(bodies(10)).toEqual([]);
  });

  it('fills up with one group before it turns to the next', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { send, bodies } = aQueue({ seed });
      send('A1', 'B1', 'A2', 'B2', 'A3', 'B3');

      const groups = bodies(4)
        .map((body) => body[0])
        .join('');

      expect(groups).toMatch(/^(AAAB|BBBA)$/);
    }
  });

  it('promises nothing about the order between groups', () => {
    const firsts = Array.from({ length: 20 }, (_, seed) => {
      const { send, bodies } = aQueue({ seed });
      send('A1', 'B1');
      return bodies(1)[0];
    });

    expect(new Set(firsts)).toEqual(new Set(['A1', 'B1']));
  });

  it('shows a message as Lambda does', () => {
    const { send, receive, clock, queue } = aQueue();
    send('A1');
    passes(clock, seconds(3));

    const [record] = receive();

    const sentAt = clock.now() - seconds(3);
    expect(record).toEqual({
      messageId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      receiptHandle: expect.stringMatching(/./),
      body: 'A1',
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: String(sentAt),
        SenderId: expect.any(String),
        ApproximateFirstReceiveTimestamp: String(clock.now()),
        SequenceNumber: expect.stringMatching(/^\d{20}$/),
        MessageGroupId: 'A',
        MessageDeduplicationId: 'dedup-A1',
      },
      messageAttributes: {},
      md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventSource: 'aws:sqs',
      eventSourceARN: queue.arn,
      awsRegion: 'local',
    });
    expect(queue.arn).toMatch(/^arn:.*:queue\.fifo$/);
  });

  it('shows the attributes of a message as strings', () => {
    const { queue, receive } = aQueue();
    queue.send({ ...sending('A1'), attributes: { trace: 'abc' } });

    expect(receive()[0]?.messageAttributes).toEqual({
      trace: { stringValue: 'abc', dataType: 'String' },
    });
  });

  it('keeps the time of the first receive, and gives a new handle each time', () => {
    const { send, receive, clock } = aQueue();
    send('A1');
    const [first] = receive();
    passes(clock, minutes(1));

    const [second] = receive();

    expect(second?.attributes.ApproximateFirstReceiveTimestamp).toBe(
      first?.attributes.ApproximateFirstReceiveTimestamp,
    );
    expect(second?.receiptHandle).not.toBe(first?.receiptHandle);
    expect(second?.messageId).toBe(first?.messageId);
    expect(second?.attributes.SequenceNumber).toBe(first?.attributes.SequenceNumber);
  });
});

describe('a group', () => {
  it('is locked while a message of it is in flight, for new sends too (case fifo 36)', () => {
    const { send, bodies } = aQueue();
    send('A1', 'A2');
    expect(bodies()).toEqual(['A1', 'A2']);

    send('A3');

    expect(bodies()).toEqual([]);
  });

  it('stays locked by what was not deleted', () => {
    const { queue, send, receive, bodies } = aQueue();
    send('A1', 'A2', 'A3');
    const records = receive(2);

    queue.delete(handleOf(records, 'A1'));
    expect(bodies()).toEqual([]);

    queue.delete(handleOf(records, 'A2'));
    expect(bodies()).toEqual(['A3']);
  });

  it('locks no other group', () => {
    const { send, bodies } = aQueue();
    send('A1', 'A2');
    bodies(1);
    send('B1');

    expect(bodies()).toEqual(['B1']);
  });

  it('is not locked for longer by new sends', () => {
    const { send, bodies, clock } = aQueue();
    send('A1');
    bodies();
    passes(clock, seconds(59));
    send('A2');
    expect(bodies()).toEqual([]);

    passes(clock, seconds(1));

    expect(bodies()).toEqual(['A1', 'A2']);
  });

  it('can be filled again once it was empty', () => {
    const { queue, send, receive, bodies } = aQueue();
    send('A1');
    queue.delete(handleOf(receive(), 'A1'));
    expect(bodies()).toEqual([]);

    send('A2');

    expect(bodies()).toEqual(['A2']);
  });

  it('keeps its order when visibility timeouts end', () => {
    const { send, bodies, clock } = aQueue();
    send('A1', 'A2', 'A3', 'A4');
    expect(bodies(3)).toEqual(['A1', 'A2', 'A3']);

    passes(clock, minutes(1));

    expect(bodies(2)).toEqual(['A1', 'A2']);
    passes(clock, minutes(1));
    expect(bodies()).toEqual(['A1', 'A2', 'A3', 'A4']);
  });

  it.each([
    { extended: 'A1', back: [] },
    { extended: 'A2', back: ['A1'] },
    { extended: 'A3', back: ['A1', 'A2'] },
  ])('gives only what lies before its first invisible message: $extended', ({ extended, back }) => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1', 'A2', 'A3');
    const records = receive();
    queue.hide(handleOf(records, extended), minutes(5));

    passes(clock, minutes(1));

    expect(bodies()).toEqual(back);
  });

  it.each([
    { shown: 'A1', back: ['A1'] },
    { shown: 'A2', back: [] },
    { shown: 'A3', back: [] },
  ])('gives its head alone, and nothing past it, when $shown is shown early', ({ shown, back }) => {
    const { queue, send, receive, bodies } = aQueue();
    send('A1', 'A2', 'A3');

    queue.hide(handleOf(receive(), shown), nothing);

    expect(bodies()).toEqual(back);
  });

  it('lets the tail pay no receive while the head comes back alone', () => {
    const { queue, send, receive, bodies, counts, clock } = aQueue();
    send('A1', 'A2', 'A3');
    let records = receive();
    const backoff = seconds(10);
    const margin = seconds(3);
    queue.hide(handleOf(records, 'A1'), backoff);
    queue.hide(handleOf(records, 'A2'), milliseconds(backoff + margin));
    queue.hide(handleOf(records, 'A3'), milliseconds(backoff + margin));

    passes(clock, backoff);
    records = receive();
    expect(records.map(({ body }) => body)).toEqual(['A1']);
    passes(clock, margin);
    expect(bodies()).toEqual([]);
    queue.delete(handleOf(records, 'A1'));

    expect(counts()).toEqual({ A2: 1, A3: 1 });
    expect(bodies()).toEqual(['A2', 'A3']);
  });

  it('keeps the tail blocked and unpaid when the head fails once more', () => {
    const { queue, send, receive, bodies, counts, clock } = aQueue();
    send('A1', 'A2');
    const first = receive();
    queue.hide(handleOf(first, 'A1'), seconds(10));
    queue.hide(handleOf(first, 'A2'), seconds(13));
    passes(clock, seconds(10));
    const second = receive();

    queue.hide(handleOf(second, 'A1'), minutes(2));
    passes(clock, seconds(30));

    expect(bodies()).toEqual([]);
    expect(counts()).toEqual({ A1: 2, A2: 1 });
  });

  it('comes back together when polling is late', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1', 'A2');
    const records = receive();
    queue.hide(handleOf(records, 'A1'), seconds(10));
    queue.hide(handleOf(records, 'A2'), seconds(13));

    passes(clock, seconds(20));

    expect(bodies()).toEqual(['A1', 'A2']);
  });

  it('stays in order when its tail is visible before its head', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1', 'A2');
    const records = receive();
    queue.hide(handleOf(records, 'A1'), seconds(13));
    queue.hide(handleOf(records, 'A2'), seconds(10));

    passes(clock, seconds(10));
    expect(bodies()).toEqual([]);
    passes(clock, seconds(3));
    expect(bodies()).toEqual(['A1', 'A2']);
  });
});

describe('a receive count', () => {
  it('rises with every receive of the message, run or not', () => {
    const { queue, send, receive, counts, clock } = aQueue();
    send('A1', 'A2', 'A3');
    expect(receive().map(({ attributes }) => attributes.ApproximateReceiveCount)).toEqual([
      '1',
      '1',
      '1',
    ]);
    passes(clock, minutes(1));

    const again = receive(2);

    expect(again.map(({ attributes }) => attributes.ApproximateReceiveCount)).toEqual(['2', '2']);
    queue.delete(handleOf(again, 'A1'));
    expect(counts()).toEqual({ A2: 2, A3: 1 });
  });
});

describe('visibility', () => {
  it('ends exactly with its timeout', () => {
    const { send, bodies, clock } = aQueue();
    send('A1');
    bodies();

    passes(clock, milliseconds(59_999));
    expect(bodies()).toEqual([]);
    passes(clock, milliseconds(1));
    expect(bodies()).toEqual(['A1']);
  });

  it('counts from the call, not from the receive', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1');
    const records = receive();
    passes(clock, seconds(50));

    expect(queue.hide(handleOf(records, 'A1'), seconds(30))).toBe('hidden');

    passes(clock, seconds(29));
    expect(bodies()).toEqual([]);
    passes(clock, seconds(1));
    expect(bodies()).toEqual(['A1']);
  });

  it('holds for one receive only', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1');
    queue.hide(handleOf(receive(), 'A1'), hours(1));
    passes(clock, hours(1));
    bodies();

    passes(clock, minutes(1));

    expect(bodies()).toEqual(['A1']);
  });

  it('ends 12 hours after the receive at the latest', () => {
    const { queue, send, receive, clock } = aQueue();
    send('A1');
    const handle = handleOf(receive(), 'A1');

    expect(queue.hide(handle, milliseconds(hours(12) + 1))).toBe('lost');
    expect(queue.hide(handle, hours(12))).toBe('hidden');
    passes(clock, hours(1));
    expect(queue.hide(handle, hours(12))).toBe('lost');
    expect(queue.hide(handle, hours(11))).toBe('hidden');
  });

  it('keeps what it was when a change is refused', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1');
    queue.hide(handleOf(receive(), 'A1'), hours(13));

    passes(clock, minutes(1));

    expect(bodies()).toEqual(['A1']);
  });

  it('can not be changed by a handle whose time is over, was replaced or never was', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1');
    const old = handleOf(receive(), 'A1');
    passes(clock, minutes(1));
    expect(queue.hide(old, minutes(1))).toBe('lost');

    bodies();

    expect(queue.hide(old, nothing)).toBe('lost');
    expect(queue.hide('nonsense', nothing)).toBe('lost');
    expect(bodies()).toEqual([]);
  });
});

describe('a deletion', () => {
  it('takes the message away for good', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1');

    expect(queue.delete(handleOf(receive(), 'A1'))).toBe('deleted');

    passes(clock, hours(1));
    expect(bodies()).toEqual([]);
    expect(queue.messages()).toEqual([]);
  });

  it('is refused on FIFO once the handle has expired', () => {
    const { queue, send, receive, bodies, clock } = aQueue();
    send('A1');
    const handle = handleOf(receive(), 'A1');
    passes(clock, minutes(1));

    expect(queue.delete(handle)).toBe('expired');

    expect(bodies()).toEqual(['A1']);
    expect(queue.delete(handle)).toBe('expired');
  });

  it('works after an extension', () => {
    const { queue, send, receive, clock } = aQueue();
    send('A1');
    const handle = handleOf(receive(), 'A1');
    queue.hide(handle, minutes(3));
    passes(clock, minutes(2));

    expect(queue.delete(handle)).toBe('deleted');
  });
});

describe('a deduplication id', () => {
  it('stores nothing twice, and answers the first id', () => {
    const { queue } = aQueue();

    const first = queue.send(sending('A1'));

    expect(queue.send({ ...sending('A1'), body: 'something else' })).toEqual(first);
    expect(queue.messages()).toHaveLength(1);
  });

  it('is remembered for five minutes from its first acceptance, also after the message is gone', () => {
    const { queue, send, receive, clock } = aQueue();
    send('A1');
    queue.delete(handleOf(receive(), 'A1'));
    passes(clock, milliseconds(minutes(5) - 1));
    send('A1');
    expect(queue.messages()).toEqual([]);

    passes(clock, milliseconds(1));
    send('A1');

    expect(queue.messages()).toHaveLength(1);
  });

  it('counts within its group by default, as high-throughput mode asks', () => {
    const { queue } = aQueue();

    queue.send({ body: 'x', group: 'A', dedupId: 'same' });
    queue.send({ body: 'x', group: 'B', dedupId: 'same' });

    expect(queue.messages().map(({ group }) => group)).toEqual(['A', 'B']);
  });

  it('counts in the whole queue where that is its scope', () => {
    const { queue } = aQueue({ deduplicationScope: 'queue' });

    const first = queue.send({ body: 'x', group: 'A', dedupId: 'same' });

    expect(queue.send({ body: 'x', group: 'B', dedupId: 'same' })).toEqual(first);
    expect(queue.messages().map(({ group }) => group)).toEqual(['A']);
  });

  it('lets the same body through when it is fresh (case fifo 31)', () => {
    const { queue, receive } = aQueue();
    queue.send({ body: 'x', group: 'A', dedupId: 'parked-once' });
    queue.delete(handleOf(receive(), 'x'));

    queue.send({ body: 'x', group: 'A', dedupId: 'parked-again' });

    expect(queue.messages()).toMatchObject([{ body: 'x', group: 'A' }]);
  });
});

describe('a dead-letter queue', () => {
  const pair = (maxReceiveCount: number) => {
    const dead = aQueue({ name: 'dead.fifo' });
    const { clock, random } = dead;
    const live = aQueue({ clock, random, redrive: { to: dead.queue, maxReceiveCount } });
    return { dead, live, clock };
  };

  it('gets a message on the receive that would exceed its count, no sooner', () => {
    const { dead, live, clock } = pair(2);
    live.send('A1');
    live.bodies();
    passes(clock, minutes(1));
    live.bodies();
    passes(clock, hours(1));
    expect(dead.queue.messages()).toEqual([]);
    expect(live.queue.messages()).toHaveLength(1);

    expect(live.bodies()).toEqual([]);

    expect(live.queue.messages()).toEqual([]);
    expect(dead.queue.messages()).toMatchObject([{ body: 'A1' }]);
  });

  it('keeps id, body, group and attributes, and takes the id for deduplication', () => {
    const { dead, live, clock } = pair(1);
    const { messageId } = live.queue.send({ ...sending('A1'), attributes: { trace: 'abc' } });
    live.bodies();
    passes(clock, minutes(1));
    live.bodies();

    expect(dead.queue.messages()).toMatchObject([
      { id: messageId, body: 'A1', group: 'A', attributes: { trace: 'abc' }, dedupId: messageId },
    ]);
  });

  it('unlocks the group behind the message', () => {
    const { live, clock } = pair(1);
    live.send('A1');
    live.bodies();
    live.send('A2');
    passes(clock, minutes(1));

    // Whether what is behind comes in the same receive or in the next is nobody's promise.
    const behind = [...live.bodies(), ...live.bodies()];

    expect(behind).toEqual(['A2']);
  });

  it('keeps groups and their order (case fifo 30)', () => {
    const { dead, live, clock } = pair(1);
    live.send('A1', 'B1', 'A2');
    live.bodies();
    passes(clock, minutes(1));
    live.bodies();

    expect(dead.bodies().filter((body) => body.startsWith('A'))).toEqual(['A1', 'A2']);
    expect(new Set(dead.queue.messages().map(({ group }) => group))).toEqual(new Set(['A', 'B']));
  });

  it('gets a tail that never ran, as the receive counts have it', () => {
    const { dead, live, clock } = pair(2);
    live.send('A1', 'A2');
    for (let receives = 0; receives < 2; receives++) {
      live.bodies();
      passes(clock, minutes(1));
    }

    expect(live.bodies()).toEqual([]);
    expect(dead.queue.messages().map(({ body }) => body)).toEqual(['A1', 'A2']);
  });

  it.each([
    { name: 'dead.fifo', kept: 14 },
    { name: 'dead', kept: 10 },
  ])(
    'keeps a message for $kept more days in $name, as FIFO alone starts anew',
    ({ name, kept }) => {
      const dead = aQueue({ name });
      const { clock, random } = dead;
      const redrive = { to: dead.queue, maxReceiveCount: 1 };
      const live = aQueue({ clock, random, name: name.replace('dead', 'live'), redrive });
      live.send('A1');
      live.bodies();
      passes(clock, days(4));
      live.bodies();

      passes(clock, milliseconds(days(kept) - 1));
      expect(dead.queue.messages()).toHaveLength(1);
      passes(clock, milliseconds(1));
      expect(dead.queue.messages()).toEqual([]);
    },
  );
});

describe('retention', () => {
  it('ends after 14 days by default, in flight or not, and unlocks the group', () => {
    const { send, bodies, clock, queue } = aQueue();
    send('A1');
    passes(clock, milliseconds(days(14) - 1));
    send('A2');
    expect(bodies(1)).toEqual(['A1']);

    passes(clock, milliseconds(1));

    expect(bodies()).toEqual(['A2']);
    expect(queue.messages().map(({ body }) => body)).toEqual(['A2']);
  });

  it('tells who listens that the group behind is free', () => {
    const { send, bodies, clock, queue } = aQueue({ retention: minutes(1) });
    send('A1');
    passes(clock, seconds(50));
    send('A2');
    bodies(1);
    let told = 0;
    queue.listen(() => {
      told += 1;
    });

    passes(clock, seconds(10));
    queue.messages();

    expect(told).toBe(1);
    expect(queue.hasWork()).toBe(true);
  });
});

describe('a send', () => {
  const refusal = (over: object, name = 'queue.fifo') => {
    try {
      aQueue({ name }).queue.send({ ...sending('A1'), ...over });
      return 'accepted';
    } catch (thrown) {
      return (thrown as { code?: string }).code;
    }
  };
  const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

  it.each([
    ['a group of 128 characters', { group: 'g'.repeat(128) }, 'accepted'],
    ['a group of 129 characters', { group: 'g'.repeat(129) }, 'group-id-invalid'],
    ['an empty group', { group: '' }, 'group-id-invalid'],
    ['a group with a space', { group: 'group 123' }, 'group-id-invalid'],
    ['a group of punctuation', { group: punctuation }, 'accepted'],
    ['a deduplication id of 128 characters', { dedupId: 'd'.repeat(128) }, 'accepted'],
    ['a deduplication id of 129 characters', { dedupId: 'd'.repeat(129) }, 'dedup-id-invalid'],
    ['an empty deduplication id', { dedupId: '' }, 'dedup-id-invalid'],
    ['a deduplication id with a space', { dedupId: 'group 123' }, 'dedup-id-invalid'],
    ['a deduplication id of punctuation', { dedupId: punctuation }, 'accepted'],
    ['a body of 1 MiB', { body: 'é'.repeat(2 ** 19) }, 'accepted'],
    ['a body of 1 MiB and a byte', { body: `${'é'.repeat(2 ** 19)}x` }, 'message-size-invalid'],
    [
      'a body that its attributes make too large',
      { body: 'x'.repeat(2 ** 20 - 5), attributes: { key: 'abc' } },
      'message-size-invalid',
    ],
    ['an empty body', { body: '' }, 'message-size-invalid'],
  ])('of %s is decided as SQS does', (_, over, decision) => {
    expect(refusal(over)).toBe(decision);
  });

  it('that is refused leaves nothing behind', () => {
    const { queue } = aQueue();

    expect(() => queue.send({ ...sending('A1'), body: '' })).toThrow();
    queue.send(sending('A1'));

    expect(queue.messages()).toHaveLength(1);
  });
});

describe('a standard queue', () => {
  it('locks no group, though its messages may carry one', () => {
    const { send, bodies } = aQueue({ name: 'queue' });
    send('A1');
    bodies();
    send('A2');

    expect(bodies()).toEqual(['A2']);
  });

  it('deduplicates nothing', () => {
    const { send, queue } = aQueue({ name: 'queue' });

    send('A1', 'A1');

    expect(queue.messages()).toHaveLength(2);
  });

  it('deletes by a handle whose time is over', () => {
    const { queue, send, receive, clock } = aQueue({ name: 'queue' });
    send('A1');
    const handle = handleOf(receive(), 'A1');
    passes(clock, minutes(2));

    expect(queue.delete(handle)).toBe('deleted');
  });

  it('shows the group of a fair queue, but no sequence number and no deduplication id', () => {
    const { send, receive } = aQueue({ name: 'queue' });
    send('A1');

    const attributes = receive()[0]?.attributes ?? {};

    expect(attributes).toMatchObject({ MessageGroupId: 'A', ApproximateReceiveCount: '1' });
    expect(attributes).not.toHaveProperty('SequenceNumber');
    expect(attributes).not.toHaveProperty('MessageDeduplicationId');
  });
});

describe('a listener', () => {
  it('is told of a send, of a deletion and of each end of a visibility timeout', () => {
    const { queue, send, receive, clock } = aQueue();
    const told: number[] = [];
    const stop = queue.listen(() => {
      told.push(clock.now());
    });
    const start = clock.now();

    send('A1', 'A2');
    expect(told).toEqual([start, start]);
    const records = receive();
    queue.hide(handleOf(records, 'A1'), seconds(10));
    passes(clock, seconds(20));
    expect(told.slice(2)).toEqual([start + seconds(10)]);
    queue.delete(handleOf(records, 'A2'));
    expect(told.slice(3)).toEqual([start + seconds(20)]);

    stop();
    send('A3');
    expect(told).toHaveLength(4);
  });

  it('hears no more once the queue is closed', () => {
    const { queue, send, receive, clock } = aQueue();
    send('A1');
    receive();
    queue.close();

    expect(clock.next()).toBeUndefined();
  });
});
