import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GroupId, Instant } from '../../lib/kernel/brand.ts';
import { permanent } from '../../lib/kernel/failure.ts';
import { messageSize } from '../../lib/kernel/message-size.ts';
import { sizes } from '../../lib/kernel/settings.ts';
import { type Dead, deadLetter, reasonOf } from '../../lib/retry/dead-letter.ts';

const dead = (more: Partial<Dead> = {}): Dead => ({
  queue: 'orders.fifo',
  id: 'm-1',
  group: 'A' as GroupId,
  body: '{"total":-1}',
  sequenceNumber: '10000000000000000007',
  attempt: 4,
  sentAt: 0 as Instant,
  attributes: {},
  leftOut: [],
  trace: 'Root=1-abc',
  ...more,
});
const now = 60_000 as Instant;
const failure = permanent('negative-total', 'total is -1, at least 0 is right');

describe('a dead letter', () => {
  it('keeps body and group, and says why, of which attempt, from where and when', () => {
    const entry = deadLetter(dead(), failure, now);

    expect(entry).toMatchObject({ id: 'dead:m-1', group: 'A', body: '{"total":-1}' });
    expect(reasonOf(entry.attributes ?? {})).toEqual({
      code: 'negative-total',
      why: 'total is -1, at least 0 is right',
      attempt: 4,
      queue: 'orders.fifo',
      messageId: 'm-1',
      sequenceNumber: '10000000000000000007',
      sentAt: '1970-01-01T00:00:00.000Z',
      at: '1970-01-01T00:01:00.000Z',
      trace: 'Root=1-abc',
    });
  });

  it.each(['', 'no', 'total is -1, at least 0 is right'])(
    'keeps a sentence as it is: %j',
    (why) => {
      const entry = deadLetter(dead(), permanent('bad', why), now);

      expect(reasonOf(entry.attributes ?? {})).toMatchObject({ code: 'bad', why, attempt: 4 });
    },
  );

  it('keeps the attributes that are text, and names those that it can’t keep', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 11 }, (_, i) => [`a${i}`, 'value'] as const),
    );

    const entry = deadLetter(dead({ attributes, leftOut: ['photo'] }), failure, now);

    expect(Object.keys(entry.attributes ?? {})).toHaveLength(10);
    expect(reasonOf(entry.attributes ?? {})['leftOut']).toBe('photo a9 a10');
  });

  it('replaces the reason of an earlier death', () => {
    const before = deadLetter(dead(), permanent('first', 'first'), now).attributes ?? {};

    const entry = deadLetter(dead({ attributes: before }), failure, now);

    expect(reasonOf(entry.attributes ?? {})['code']).toBe('negative-total');
  });

  it('shrinks its reason to the code where the message would grow too large, and leaves it out where not even that fits (trace H25)', () => {
    const sized = (room: number) =>
      deadLetter(dead({ body: 'x'.repeat(sizes.queueMessage - room) }), failure, now);

    expect(reasonOf(sized(100).attributes ?? {})).toEqual({ code: 'negative-total' });
    expect(sized(0).attributes).toEqual({});
  });

  it('has a reason of at most 2 KB in ASCII, whatever was thrown (trace H25)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 6_000 }),
        fc.string({ unit: 'binary', maxLength: 300 }),
        (sentence, code) => {
          const entry = deadLetter(dead(), permanent(code, sentence), now);
          const text = entry.attributes?.['lanekeeper'] ?? '';

          expect(text).toMatch(/^[ -~]+$/);
          expect(text.length).toBeLessThanOrEqual(2_048);
          expect(messageSize(entry)).toBeLessThanOrEqual(sizes.queueMessage);
          expect(reasonOf({ lanekeeper: text })['code']).toBe(code.slice(0, 128));
        },
      ),
    );
  });

  it.each(['not json', '[]', '"text"', 'null'])(
    'has no reason in a foreign attribute: %s',
    (text) => {
      expect(reasonOf({ lanekeeper: text })['code']).toBeUndefined();
    },
  );
});
