import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GroupId } from '../../lib/kernel/brand.ts';
import { afterRound, isUnanswered, nextRound, type Outgoing } from '../../lib/outbox/rounds.ts';
import type { Verdict } from '../../lib/ports/sender.ts';

const event = (name: string, body = name): Outgoing => ({
  target: 'events',
  eventId: name,
  position: name,
  entry: { id: name, group: (name[0] ?? '?') as GroupId, body },
});
const names = (all: readonly Outgoing[]) => all.map(({ eventId }) => eventId);
const sent: Verdict = { kind: 'sent' };
const outage: Verdict = { kind: 'outage', why: 'throttled' };
const refused: Verdict = { kind: 'refused', why: 'too large' };

describe('a round', () => {
  it('takes one entry per group, in order (fact Q3)', () => {
    const round = nextRound(['a1', 'a2', 'b1', 'c1', 'b2'].map((name) => event(name)));

    expect(names(round.now)).toEqual(['a1', 'b1', 'c1']);
    expect(names(round.waiting)).toEqual(['a2', 'b2']);
  });

  it('takes at most ten entries', () => {
    const round = nextRound([...'abcdefghijklm'].map((name) => event(name)));

    expect(round.now).toHaveLength(10);
    expect(names(round.waiting)).toEqual(['k', 'l', 'm']);
  });

  it('takes at most 256 KB, but never nothing', () => {
    const big = 'x'.repeat(200 * 1024);

    const round = nextRound([event('a', big), event('b', big), event('c')]);
    const alone = nextRound([event('a', 'x'.repeat(300 * 1024))]);

    expect(names(round.now)).toEqual(['a', 'c']);
    expect(names(round.waiting)).toEqual(['b']);
    expect(names(alone.now)).toEqual(['a']);
  });

  it('counts bodies in bytes, and attributes by name, type and value, to the last byte', () => {
    const half = 'ä'.repeat(64 * 1024);
    const shorter = { ...event('b', half.slice(6)) };
    const attributes = { name: 'ü' };

    const full = nextRound([event('a', half), event('b', half)]);
    const over = nextRound([event('a', half), event('b', `${half}x`)]);
    const fitting = nextRound([
      event('a', half),
      { ...shorter, entry: { ...shorter.entry, attributes } },
    ]);
    const attributed = nextRound([
      event('a', half),
      { ...shorter, entry: { ...shorter.entry, attributes: { names: 'ü' } } },
    ]);

    expect([full, over, fitting, attributed].map(({ now }) => now.length)).toEqual([2, 1, 2, 1]);
  });

  it('lets no later event of a group pass one that did not fit', () => {
    const big = 'x'.repeat(200 * 1024);

    const round = nextRound([event('a', big), event('b1', big), event('b2')]);

    expect(names(round.now)).toEqual(['a']);
    expect(names(round.waiting)).toEqual(['b1', 'b2']);
  });
});

describe('the verdicts of a round', () => {
  it('hold back what is behind an event that was not accepted, in this run (trace H11)', () => {
    const round = nextRound(['a1', 'b1', 'a2', 'b2'].map((name) => event(name)));

    const after = afterRound(round, [outage, sent]);

    expect(names(after.sent)).toEqual(['b1']);
    expect(names(after.held.map(({ outgoing }) => outgoing))).toEqual(['a1', 'a2']);
    expect(names(after.waiting)).toEqual(['b2']);
  });

  it('count only what is proved to be accepted (case outbox 1)', () => {
    const round = nextRound([event('a1'), event('b1')]);

    const after = afterRound(round, [sent]);

    expect(names(after.sent)).toEqual(['a1']);
    expect(after.held).toMatchObject([{ outgoing: { eventId: 'b1' } }]);
  });

  it('tell a refusal from an outage, and hold what is behind both', () => {
    const round = nextRound(['a1', 'b1', 'a2'].map((name) => event(name)));

    const after = afterRound(round, [refused, sent]);

    expect(after.refused).toMatchObject([{ outgoing: { eventId: 'a1' }, why: 'too large' }]);
    expect(names(after.held.map(({ outgoing }) => outgoing))).toEqual(['a2']);
  });

  it('are none at all when every entry met an outage', () => {
    expect(isUnanswered([outage, outage])).toBe(true);
    expect(isUnanswered([outage, sent])).toBe(false);
    expect(isUnanswered([refused])).toBe(false);
  });
});

describe('rounds in a row', () => {
  // case outbox 34
  it('send the events of each group in order, each once, whatever fails', () => {
    const verdict = fc.constantFrom(sent, outage, refused);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 }),
        fc.infiniteStream(verdict),
        (groups, verdicts) => {
          const all = groups.map((group, i) => event(`${group}${i}`));
          const out: string[] = [];
          const kept: string[] = [];
          let waiting: readonly Outgoing[] = all;
          while (waiting.length > 0) {
            const round = nextRound(waiting);
            const after = afterRound(
              round,
              round.now.map(() => verdicts.next().value as Verdict),
            );
            out.push(...names(after.sent));
            kept.push(...names([...after.held, ...after.refused].map((it) => it.outgoing)));
            waiting = after.waiting;
          }

          expect([...out, ...kept].sort()).toEqual(names(all).sort());
          for (const group of new Set(groups)) {
            const inOrder = names(all).filter((name) => name.startsWith(group));
            const published = out.filter((name) => name.startsWith(group));
            expect(published).toEqual(inOrder.slice(0, published.length));
          }
        },
      ),
    );
  });
});
