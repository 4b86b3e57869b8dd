import { describe, expect, it } from 'vitest';
import type { Instant } from '../../lib/kernel/brand.ts';
import { transient } from '../../lib/kernel/failure.ts';
import { tables } from '../../lib/kernel/settings.ts';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import { countedFailure, failuresIn, failuresKey } from '../../lib/retry/failure-count.ts';

const key = failuresKey('orders.fifo', 'm-1');
const told = { failure: transient('no', 'no'), at: 0 as Instant };
const aStore = () => new MemoryStore({ [tables.care]: {} });
const count = (store: MemoryStore): number => failuresIn(store.peek(tables.care, key));

describe('the failures of a message', () => {
  it('are counted one by one, and forgotten 36 days after the last', async () => {
    const store = aStore();

    for (let seen = 0; seen < 3; seen++) await store.commit([countedFailure(key, seen, told)]);

    expect(count(store)).toBe(3);
    expect(store.peek(tables.care, key)).toMatchObject({ code: 'no', ttl: 36 * 86_400 });
  });

  it('never go down: who has seen fewer is refused, and is told how many there are (guard failures)', async () => {
    const store = aStore();
    for (let seen = 0; seen < 3; seen++) await store.commit([countedFailure(key, seen, told)]);

    for (const seen of [0, 1, 2]) {
      const commit = await store.commit([countedFailure(key, seen, told)]);
      expect(commit).toMatchObject({ kind: 'refused', old: { count: 3 } });
    }
    expect(count(store)).toBe(3);
  });
});
