import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../lib/local/memory-store.ts';
import type { Key, Row, Write } from '../../lib/ports/store.ts';

const limit = 400 * 1024;

const put = (fields: Row, key: Key = { pk: 'a', sk: 'b' }): Write => ({
  kind: 'put',
  table: 'own',
  key,
  fields,
  when: [],
});

describe('a store in memory', () => {
  it.each<[string, Row]>([
    ['text, by its bytes in UTF-8', { ü: 'ü'.repeat((limit - 8) / 2) }],
    ['bytes', { b: new Uint8Array(limit - 7) }],
    ['numbers, two digits to a byte', { n: 1234567, t: 'x'.repeat(limit - 6 - 1 - 5 - 1) }],
    ['numbers below zero', { n: -123, t: 'x'.repeat(limit - 6 - 1 - 4 - 1) }],
    ['null and booleans', { n: null, y: true, t: 'x'.repeat(limit - 6 - 2 - 2 - 1) }],
    ['lists and maps', { l: [1, { ab: 'c' }], t: 'x'.repeat(limit - 6 - 1 - 14 - 1) }],
  ])('measures a row as DynamoDB does: %s', async (_, fields) => {
    const store = new MemoryStore({ own: {} });

    const atLimit = await store.commit([put(fields)]);
    const beyond = store.commit([put({ ...fields, z: '' })]);

    expect(atLimit.kind).toBe('committed');
    await expect(beyond).rejects.toMatchObject({
      code: 'row-too-large',
      message: `a row has at most ${limit} bytes, got ${limit + 1}`,
    });
  });

  it('takes at most 4 MB in one commit, and writes nothing beyond (fact outbox T1)', async () => {
    const store = new MemoryStore({ own: {} });
    const writes = Array.from({ length: 11 }, (_, i) =>
      put({ text: 'x'.repeat(limit - 100) }, { pk: 'a', sk: `${i}` }),
    );

    await expect(store.commit(writes)).rejects.toMatchObject({ code: 'commit-too-large' });

    expect(store.all('own')).toEqual([]);
    expect((await store.commit(writes.slice(1))).kind).toBe('committed');
  });

  it('adds whole numbers with all their digits', async () => {
    const store = new MemoryStore({ own: {} });
    const add = (n: number): Write => ({
      kind: 'update',
      table: 'own',
      key: { pk: 'a' },
      add: { n },
      when: [],
    });
    await store.commit([add(Number.MAX_SAFE_INTEGER)]);

    const beyond = await store.commit([add(2)]);
    const back = await store.commit([add(-2)]);

    expect(beyond).toMatchObject({ row: { n: 2n ** 53n + 1n } });
    expect(back).toMatchObject({ row: { n: Number.MAX_SAFE_INTEGER } });
  });

  it.each<[string, Partial<Extract<Write, { kind: 'update' }>>]>([
    ['adds to a text', { add: { text: 1 } }],
    ['appends to a text', { append: { text: [1] } }],
    ['appends to null', { append: { none: [1] } }],
    ['names a field twice', { set: { n: 1 }, remove: ['n'] }],
    ['changes the key', { set: { pk: 'other' } }],
    ['removes the key', { remove: ['sk'] }],
  ])('refuses an update that %s, and changes nothing', async (_, change) => {
    const store = new MemoryStore({ own: {} });
    await store.commit([put({ text: 'x', none: null })]);
    const update: Write = {
      kind: 'update',
      table: 'own',
      key: { pk: 'a', sk: 'b' },
      when: [],
      ...change,
    };

    const commit = store.commit([put({}, { pk: 'c', sk: 'd' }), update]);

    await expect(commit).rejects.toMatchObject({ code: 'write-invalid', remedy: 'dead-letter' });
    expect(store.all('own')).toEqual([{ pk: 'a', sk: 'b', text: 'x', none: null }]);
  });

  it('tells a refused guard before what can’t be done to the row anyway (fact outbox T5)', async () => {
    const store = new MemoryStore({ own: {} });
    await store.commit([put({ text: 'x' })]);

    const commit = await store.commit([
      {
        kind: 'update',
        table: 'own',
        key: { pk: 'a', sk: 'b' },
        add: { text: 1 },
        when: [{ kind: 'absent', why: 'once' }],
      },
    ]);

    expect(commit).toMatchObject({ kind: 'refused', at: 0 });
  });

  it('keeps to the kind of key that a table’s first row has', async () => {
    const store = new MemoryStore({ own: {}, plain: {} });
    const bare: Write = { ...put({}), table: 'plain', key: { pk: 'a' } };
    await store.commit([put({}), bare]);

    await expect(store.read('own', { pk: 'a' })).rejects.toMatchObject({ code: 'key-mismatched' });
    await expect(store.commit([put({}, { pk: 'z' })])).rejects.toThrow(
      'a key of table "own" has pk and sk, got ["z"]',
    );
    await expect(store.read('plain', { pk: 'a', sk: 'b' })).rejects.toThrow('pk alone');
    expect(await store.read('plain', { pk: 'a' })).toEqual({ pk: 'a' });
  });

  it('lets those who look on change nothing', async () => {
    const store = new MemoryStore({ own: {} });
    await store.commit([put({ list: [1] })]);

    for (const row of [store.peek('own', { pk: 'a', sk: 'b' }) ?? {}, ...store.all('own')])
      (row['list'] as unknown[]).push(2);

    expect(store.all('own')).toMatchObject([{ list: [1] }]);
  });

  it('keeps expired rows readable until they are forgotten, and takes milliseconds for never (fact outbox S8, case outbox 46)', async () => {
    const store = new MemoryStore({ own: { ttl: 'ttl' }, other: {} });
    const expiring = (sk: string, ttl: string | number) => put({ ttl }, { pk: 'a', sk });
    await store.commit([
      expiring('over', 1_790_000_000),
      expiring('later', 1_790_000_001),
      expiring('milliseconds', 1_790_000_000_000),
      expiring('text', '1'),
      { ...expiring('elsewhere', 1), table: 'other' },
    ]);
    expect(store.all('own')).toHaveLength(4);

    store.forget(1_790_000_000);

    expect(store.all('own').map(({ sk }) => sk)).toEqual(['later', 'milliseconds', 'text']);
    expect(store.all('other')).toHaveLength(1);
  });

  it('refuses an index that its table does not have', async () => {
    const store = new MemoryStore({ own: {} });
    const rows = store.query('own', { pk: 'a', index: 'nowhere' })[Symbol.asyncIterator]();

    await expect(rows.next()).rejects.toMatchObject({ code: 'index-unknown' });
  });
});
