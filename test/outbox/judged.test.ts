import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../lib/kernel/event.ts';
import { hours, minutes } from '../../lib/kernel/time.ts';
import { type Grounds, judged, type OutboxRow, oldestJudged } from '../../lib/outbox/judged.ts';
import { provableFrom, windowOf } from '../../lib/outbox/window.ts';
import { at, queued } from '../job/rows.ts';

const event = (n: number, time: number, channel: 'commands' | 'events' = 'events') =>
  ({
    n,
    channel,
    sequence: n,
    id: `e${n}`,
    type: 'export.x',
    version: n,
    generation: 1,
    at: at(time),
  }) as StoredEvent;

const row = queued({ events: [event(1, 0, 'commands'), event(2, 10), event(3, 20), event(4, 30)] });
const grounds = (over: Partial<Grounds> = {}): Grounds => ({
  window: { since: at(10), until: at(30) },
  provableFrom: at(-1_000),
  unproved: false,
  looksBack: false,
  isProved: () => false,
  isAside: () => false,
  ...over,
});
const ids = (over: Partial<Grounds> = {}) =>
  judged(row as unknown as OutboxRow, grounds(over)).missing.map(({ id }) => id);

describe('what nothing proves', () => {
  it('is what lies in the window, from its first moment to before its end, in order', () => {
    expect(ids()).toEqual(['e2', 'e3']);
  });

  it('is not what is proved, at the target that it goes to and at no other', () => {
    expect(ids({ isProved: (target, id) => target === 'events' && id === 'e2' })).toEqual(['e3']);
    expect(ids({ isProved: (target) => target === 'commands-export' })).toEqual(['e2', 'e3']);
  });

  it('is not what is set aside, which goes its own way', () => {
    expect(ids({ isAside: (_, id) => id === 'e3' })).toEqual(['e2']);
  });

  it('takes what came before it along where nothing below the window was judged', () => {
    expect(ids({ looksBack: true })).toEqual(['e1', 'e2', 'e3']);
    expect(ids({ looksBack: true, isProved: (_, id) => id !== 'e1' })).toEqual([]);
  });

  it('leaves out what the ledger can’t prove any more, unless told otherwise', () => {
    const old = { provableFrom: at(20) };

    expect(ids(old)).toEqual(['e3']);
    expect(judged(row as unknown as OutboxRow, grounds(old)).unprovable).toBe(1);
    expect(ids({ ...old, unproved: true })).toEqual(['e2', 'e3']);
  });

  it('needs the ledger from its oldest event on, and none where no event is in the window', () => {
    const of = (over: Partial<Grounds>) => oldestJudged(row as unknown as OutboxRow, grounds(over));

    expect(of({})).toBe(at(10));
    expect(of({ looksBack: true })).toBe(at(0));
    expect(of({ provableFrom: at(15) })).toBe(at(15));
    expect(of({ window: { since: at(40), until: at(50) } })).toBeUndefined();
  });
});

describe('a window', () => {
  const now = at(hours(100));
  const none = { since: undefined, until: undefined };
  const ago = (length: number) => now - length;

  it.each([
    ['the beginning of time where none came before', undefined, undefined, 0, ago(minutes(15))],
    ['an hour before where it came to', at(hours(50)), undefined, at(hours(49)), ago(minutes(15))],
    [
      '… and ends before a relay that is late',
      at(0),
      { at: now, oldestAge: hours(2) },
      at(-hours(1)),
      ago(hours(2)),
    ],
    [
      '… but not before one that is silent',
      at(0),
      { at: ago(minutes(15)), oldestAge: hours(2) },
      at(-hours(1)),
      ago(minutes(15)),
    ],
    [
      '… nor before its own beginning',
      ago(minutes(5)),
      { at: now, oldestAge: hours(3) },
      ago(minutes(65)),
      ago(minutes(65)),
    ],
  ])('begins at %s', (_, reached, heartbeat, since, until) => {
    expect(windowOf({ now, reached, heartbeat } as never, none)).toEqual({ since, until });
  });

  it('is refused where it would end before it begins, with both', () => {
    const known = { now, reached: at(hours(50)), heartbeat: undefined };

    expect(() => windowOf(known, { ...none, until: at(0) })).toThrow(/2026-09-23T.*2026-09-21T/);
    expect(windowOf(known, { since: at(0), until: at(1) })).toEqual({ since: at(0), until: at(1) });
  });

  it('is proved for 8 days, less an hour for what runs out meanwhile', () => {
    expect(provableFrom(at(hours(8 * 24)))).toBe(at(hours(1)));
  });
});
