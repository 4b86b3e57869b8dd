import { describe, expect, it } from 'vitest';
import type { Instant } from '../../lib/kernel/brand.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { begun, ended, type Pass, passIn, passKey, reachedIn } from '../../lib/outbox/pass.ts';
import {
  kept,
  type Part,
  partsOf,
  segmentIn,
  segmentKey,
  standing,
  taken,
} from '../../lib/outbox/segment.ts';
import type { Write } from '../../lib/ports/store.ts';
import { at } from '../job/rows.ts';

const pass: Pass = {
  ...{ id: 'P', key: passKey(undefined), since: at(0), until: at(100), segments: 2, by: 'scan' },
};
const nothing = { at: undefined, fullAt: undefined };

/** A ledger, and what a write comes to there. */
function aLedger() {
  const store = new MemoryStore({ ledger: {} });
  return {
    put: async (write: Write) => (await store.commit([write])).kind,
    row: (key = pass.key) => store.peek('ledger', key),
  };
}

describe('a pass', () => {
  it('is begun once, and met by whoever comes later', async () => {
    const ledger = aLedger();

    expect(await ledger.put(begun(pass, nothing))).toBe('committed');
    expect(await ledger.put(begun({ ...pass, id: 'Q' }, nothing))).toBe('refused');
    expect(passIn(ledger.row())).toEqual(pass);
  });

  it('is not begun from a watermark that has moved', async () => {
    const ledger = aLedger();
    await ledger.put(begun(pass, nothing));
    await ledger.put(ended(pass, nothing, undefined));

    expect(await ledger.put(begun({ ...pass, id: 'Q' }, nothing))).toBe('refused');
    expect(await ledger.put(begun({ ...pass, id: 'Q' }, reachedIn(ledger.row())))).toBe(
      'committed',
    );
  });

  it('is ended by none but itself', async () => {
    const ledger = aLedger();
    await ledger.put(begun(pass, nothing));

    expect(await ledger.put(ended({ ...pass, id: 'Q' }, nothing, undefined))).toBe('refused');
    expect(await ledger.put(ended(pass, nothing, undefined))).toBe('committed');
    expect(await ledger.put(ended(pass, nothing, undefined))).toBe('refused');
    expect(ledger.row()).toEqual({ ...pass.key, at: at(100), fullAt: at(100) });
  });

  it.each([
    ['its end', undefined, at(100)],
    ['what was held', at(30), at(30)],
    ['where it was, when what was held is older', at(-900), at(10)],
  ])('moves the watermark to %s, never back', async (_, heldFrom, reached) => {
    const before = { at: at(10), fullAt: at(10) };

    expect(ended(pass, before, heldFrom)).toMatchObject({ set: { at: reached, fullAt: reached } });
    expect(ended({ ...pass, by: 'index' }, before, heldFrom)).not.toHaveProperty('set.fullAt');
  });

  it('over a caller’s window moves nothing and leaves nothing', async () => {
    const ledger = aLedger();
    const named = { ...pass, key: passKey('1~2~') };
    await ledger.put(begun(named, nothing));

    await ledger.put(ended(named, nothing, undefined));

    expect([ledger.row(), ledger.row(named.key)]).toEqual([undefined, undefined]);
  });
});

describe('a part of a pass', () => {
  const hold = (part: Part, nonce: string) => ({ key: segmentKey(pass, part), nonce });
  const from = (now: Instant) => ({ now, leaseUntil: (now + 60_000) as Instant });

  it('has one holder, until his lease is over by the skew', async () => {
    const ledger = aLedger();

    expect(await ledger.put(taken(hold(1, 'A'), from(at(0))))).toBe('committed');
    expect(await ledger.put(taken(hold(1, 'B'), from(at(62_000))))).toBe('refused');
    expect(await ledger.put(taken(hold(2, 'B'), from(at(0))))).toBe('committed');
    expect(await ledger.put(taken(hold(1, 'B'), from(at(62_001))))).toBe('committed');
  });

  it('is kept by its holder alone, with how far it came', async () => {
    const ledger = aLedger();
    const after = { pk: 'job#x', sk: 'job' };
    await ledger.put(taken(hold(1, 'A'), from(at(0))));
    const own = { ...hold(1, 'A'), after, heldFrom: at(7) };
    await ledger.put(kept(own, 'held', at(60_000)));

    expect(await ledger.put(kept({ ...own, nonce: 'B' }, 'done', at(0)))).toBe('refused');
    expect(segmentIn(ledger.row(own.key), hold(1, 'A'))).toEqual(own);
    await ledger.put(kept(own, 'let-go', at(60_000)));
    expect(await ledger.put(taken(hold(1, 'B'), from(at(3_000))))).toBe('committed');
    expect(segmentIn(ledger.row(own.key), hold(1, 'B'))).toEqual({ ...own, nonce: 'B' });
    expect(await ledger.put(kept(own, 'done', at(0)))).toBe('refused');
  });

  it('is never taken again once it is done', async () => {
    const ledger = aLedger();
    await ledger.put(taken(hold(1, 'A'), from(at(0))));
    await ledger.put(kept(hold(1, 'A'), 'done', at(60_000)));

    expect(await ledger.put(taken(hold(1, 'B'), from(at(999_999))))).toBe('refused');
  });

  it('counts until it is done, and then with the oldest that was held', () => {
    expect(partsOf(pass)).toEqual(['aside', 0, 1]);
    const done = { done: true };
    expect(standing(pass, [done, { ...done, heldFrom: at(9) }, { heldFrom: at(1) }])).toEqual({
      left: 1,
      heldFrom: at(9),
    });
    expect(standing(pass, [done, done, done])).toEqual({ left: 0, heldFrom: undefined });
  });
});
