import { describe, expect, it } from 'vitest';
import type { Condition, Key, Row, Store, Write } from '../../lib/ports/store.ts';

/** A store under contract: its tables `own` and `jobs`, the latter with the attention index. */
export interface StoreAtHand {
  readonly store: Store;
  /** Not used by any other suite. */
  readonly prefix: string;
}

/** What every store promises; facts fencing 2.2, outbox T1, T5, T10. Each case works on keys of its own. */
export function storeContract(name: string, open: () => Promise<StoreAtHand>): void {
  let cases = 0;
  const begin = async () => {
    const { store, prefix } = await open();
    cases += 1;
    const pk = `${prefix}-${cases}`;
    const key = (sk = 'row'): Key => ({ pk, sk });
    const put = (fields: Row, sk?: string, when: readonly Condition[] = []): Write => ({
      kind: 'put',
      table: 'own',
      key: key(sk),
      fields,
      when,
    });
    const update = (change: Partial<Extract<Write, { kind: 'update' }>>, sk?: string): Write => ({
      kind: 'update',
      table: 'own',
      key: key(sk),
      when: [],
      ...change,
    });
    const read = (sk?: string) => store.read('own', key(sk));
    return { store, pk, key, put, update, read };
  };

  describe(`${name}, as a store`, () => {
    it('reads what was put, with its key, and nothing where nothing is', async () => {
      const { store, put, read, key } = await begin();
      await store.commit([
        put({
          text: 'ü',
          number: 1.5,
          yes: true,
          none: null,
          list: [1, 'a'],
          map: { a: { b: 2 } },
        }),
      ]);

      expect(await read()).toEqual({
        ...key(),
        text: 'ü',
        number: 1.5,
        yes: true,
        none: null,
        list: [1, 'a'],
        map: { a: { b: 2 } },
      });
      expect(await read('other')).toBeUndefined();
    });

    it('keeps every digit of whole numbers beyond 2^53, and bytes as they are (fact S10)', async () => {
      const { store, put, read } = await begin();
      await store.commit([
        put({ big: 2n ** 63n, safe: Number.MAX_SAFE_INTEGER, bytes: new Uint8Array([0, 255]) }),
      ]);

      const row = (await read()) ?? {};

      expect(row).toMatchObject({ big: 2n ** 63n, safe: Number.MAX_SAFE_INTEGER });
      expect([...(row['bytes'] as Uint8Array)]).toEqual([0, 255]);
    });

    it.each([2 ** 53, -(2 ** 60), 1e17])(
      'gives back %d inside a list or map as the number that JSON has, never as a bigint (fact S10)',
      async (n) => {
        const { store, put, read } = await begin();
        await store.commit([put({ list: [n, [n]], map: { n, inner: [{ n }] } })]);

        expect(await read()).toMatchObject({ list: [n, [n]], map: { n, inner: [{ n }] } });
      },
    );

    it('leaves out fields without a value, and shares nothing with its caller', async () => {
      const { store, put, read } = await begin();
      const list = [{ n: 1 }];
      await store.commit([put({ none: undefined, list })]);
      list.push({ n: 2 });

      const row = (await read()) ?? {};

      expect(row).not.toHaveProperty('none');
      expect(row['list']).toEqual([{ n: 1 }]);
      (row['list'] as unknown[]).push('mine');
      expect((await read())?.['list']).toEqual([{ n: 1 }]);
    });

    it('replaces the whole row by a put', async () => {
      const { store, put, read, key } = await begin();
      await store.commit([put({ a: 1, b: 2 })]);

      await store.commit([put({ b: 3 })]);

      expect(await read()).toEqual({ ...key(), b: 3 });
    });

    it('answers one write with the new row', async () => {
      const { store, put, update, key } = await begin();
      await store.commit([put({ a: 1, b: 2, list: ['x'] })]);

      const commit = await store.commit([
        update({
          set: { c: 3 },
          add: { a: 10, fresh: -1 },
          remove: ['b'],
          append: { list: ['y', 'z'], other: [1] },
        }),
      ]);

      expect(commit).toEqual({
        kind: 'committed',
        row: { ...key(), a: 11, c: 3, fresh: -1, list: ['x', 'y', 'z'], other: [1] },
      });
    });

    it('creates by an update where nothing is, unless a guard asks for the row (case fencing 27)', async () => {
      const { store, update, read } = await begin();
      const guarded = { set: { a: 1 }, when: [{ kind: 'present' as const, why: 'there' }] };

      const refused = await store.commit([update(guarded)]);
      const created = await store.commit([update({ set: { a: 1 } }, 'free')]);

      expect(refused).toEqual({ kind: 'refused', at: 0 });
      expect(await read()).toBeUndefined();
      expect(created).toMatchObject({ kind: 'committed', row: { a: 1 } });
    });

    it.each<[string, Condition, boolean]>([
      ['equals, and is', { kind: 'equals', field: 'n', value: 2, why: 'w' }, true],
      ['equals, and is not', { kind: 'equals', field: 'n', value: 3, why: 'w' }, false],
      ['equals, of another type', { kind: 'equals', field: 'n', value: '2', why: 'w' }, false],
      ['equals, of a missing field', { kind: 'equals', field: 'x', value: 2, why: 'w' }, false],
      ['less, and is', { kind: 'less', field: 'n', value: 3, why: 'w' }, true],
      ['less, and is equal', { kind: 'less', field: 'n', value: 2, why: 'w' }, false],
      ['less, of a missing field', { kind: 'less', field: 'x', value: 3, why: 'w' }, false],
      ['less, of another type', { kind: 'less', field: 's', value: 3, why: 'w' }, false],
      ['greater, and is', { kind: 'greater', field: 'n', value: 1, why: 'w' }, true],
      ['greater, and is equal', { kind: 'greater', field: 'n', value: 2, why: 'w' }, false],
      [
        'greater, of texts by their bytes',
        { kind: 'greater', field: 's', value: 'Z', why: 'w' },
        true,
      ],
      ['present, and is', { kind: 'present', field: 'n', why: 'w' }, true],
      ['present, and is not', { kind: 'present', field: 'x', why: 'w' }, false],
      ['absent, and is', { kind: 'absent', field: 'x', why: 'w' }, true],
      ['absent, and is not', { kind: 'absent', field: 'n', why: 'w' }, false],
      ['a present row', { kind: 'present', why: 'w' }, true],
      ['an absent row', { kind: 'absent', why: 'w' }, false],
      [
        'any, of which one list holds whole',
        {
          kind: 'any',
          why: 'w',
          of: [
            [{ kind: 'equals', field: 'n', value: 9, why: 'w' }],
            [
              { kind: 'equals', field: 'n', value: 2, why: 'w' },
              { kind: 'present', field: 's', why: 'w' },
            ],
          ],
        },
        true,
      ],
      [
        'any, of which no list holds whole',
        {
          kind: 'any',
          why: 'w',
          of: [
            [
              { kind: 'equals', field: 'n', value: 2, why: 'w' },
              { kind: 'absent', field: 's', why: 'w' },
            ],
          ],
        },
        false,
      ],
      ['any of nothing', { kind: 'any', why: 'w', of: [] }, false],
      ['any with an empty list', { kind: 'any', why: 'w', of: [[]] }, true],
    ])('judges a guard: %s', async (_, guard, holds) => {
      const { store, put, update, key } = await begin();
      await store.commit([put({ n: 2, s: 'a' })]);

      const commit = await store.commit([update({ set: { m: 1 }, when: [guard] })]);

      expect(commit).toEqual(
        holds
          ? { kind: 'committed', row: { ...key(), n: 2, s: 'a', m: 1 } }
          : { kind: 'refused', at: 0, old: { ...key(), n: 2, s: 'a' } },
      );
    });

    it.each<[string, Condition, boolean]>([
      ['greater', { kind: 'greater', field: 'n', value: Number.MAX_SAFE_INTEGER, why: 'w' }, true],
      ['less', { kind: 'less', field: 'n', value: Number.MAX_SAFE_INTEGER, why: 'w' }, false],
      ['equal', { kind: 'equals', field: 'n', value: Number.MAX_SAFE_INTEGER, why: 'w' }, false],
    ])('compares a whole number beyond 2^53 by its value: %s', async (_, guard, holds) => {
      const { store, put, update } = await begin();
      await store.commit([put({ n: 2n ** 53n + 1n })]);

      const commit = await store.commit([update({ set: { m: 1 }, when: [guard] })]);

      expect(commit.kind).toBe(holds ? 'committed' : 'refused');
    });

    it('wants every guard of a write, and leaves the row as it was when one does not hold', async () => {
      const { store, put, update, read } = await begin();
      await store.commit([put({ n: 1, s: 'a' })]);

      const commit = await store.commit([
        update({
          set: { n: 2 },
          when: [
            { kind: 'equals', field: 'n', value: 1, why: 'first' },
            { kind: 'equals', field: 's', value: 'b', why: 'second' },
          ],
        }),
      ]);

      expect(commit).toMatchObject({ kind: 'refused', at: 0, old: { n: 1, s: 'a' } });
      expect(await read()).toMatchObject({ n: 1, s: 'a' });
    });

    it('leaves out a field without a value from an update, and keeps what the field had', async () => {
      const { store, put, update, read, key } = await begin();
      await store.commit([put({ a: 1 })]);

      await store.commit([update({ set: { a: undefined, b: 2, c: undefined } })]);

      expect(await read()).toEqual({ ...key(), a: 1, b: 2 });
    });

    it('puts a row in the place of another, whole', async () => {
      const { store, put, read, key } = await begin();
      await store.commit([put({ a: 1, b: 2 })]);

      const commit = await store.commit([put({ c: 3 })]);

      expect(commit).toEqual({ kind: 'committed', row: { ...key(), c: 3 } });
      expect(await read()).toEqual({ ...key(), c: 3 });
    });

    it('writes nothing of a commit in which one row is too large', async () => {
      const { store, put, read } = await begin();

      const commit = store.commit([put({}, 'small'), put({ text: 'x'.repeat(401 * 1024) }, 'big')]);

      await expect(commit).rejects.toMatchObject({ code: 'row-too-large' });
      expect(await read('small')).toBeUndefined();
    });

    it('writes all or nothing, and names the lowest write in the way with its row (fact T5)', async () => {
      const { store, put, update, key, read } = await begin();
      await store.commit([put({ n: 1 }, 'b')]);
      const never: Condition = { kind: 'equals', field: 'n', value: 9, why: 'never' };

      const refused = await store.commit([
        put({}, 'a'),
        { kind: 'check', table: 'own', key: key('b'), when: [never] },
        update({ set: { x: 1 }, when: [never] }, 'c'),
      ]);
      const committed = await store.commit([
        put({}, 'a'),
        { kind: 'check', table: 'own', key: key('b'), when: [{ ...never, value: 1 }] },
        { kind: 'delete', table: 'own', key: key('d'), when: [] },
      ]);

      expect(refused).toEqual({ kind: 'refused', at: 1, old: { ...key('b'), n: 1 } });
      expect(committed.kind).toBe('committed');
      expect(await read('a')).toEqual(key('a'));
    });

    it('deletes under a guard', async () => {
      const { store, put, key, read } = await begin();
      await store.commit([put({ n: 1 })]);
      const remove = (value: number): Write => ({
        kind: 'delete',
        table: 'own',
        key: key(),
        when: [{ kind: 'equals', field: 'n', value, why: 'n' }],
      });

      expect((await store.commit([remove(2)])).kind).toBe('refused');
      expect((await store.commit([remove(1)])).kind).toBe('committed');
      expect(await read()).toBeUndefined();
    });

    it('has one winner among fifty at once', async () => {
      const { store, put, update, read } = await begin();
      await store.commit([put({ generation: 0 })]);

      const commits = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          store.commit([
            update({
              set: { owner: i },
              add: { generation: 1 },
              when: [{ kind: 'equals', field: 'generation', value: 0, why: 'generation' }],
            }),
          ]),
        ),
      );

      expect(commits.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
      expect(commits.filter(({ kind }) => kind === 'refused')).toHaveLength(49);
      expect(await read()).toMatchObject({ generation: 1 });
    });

    it('loses no sum among fifty transactions at once, and tells no conflict as a refusal (facts T5, T6)', async () => {
      const { store, put, update, read } = await begin();

      const commits = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          store.commit([
            update({ add: { sum: 1 } }, 'sum'),
            put({}, `part-${i}`, [{ kind: 'absent', why: 'once' }]),
          ]),
        ),
      );

      expect(commits.map(({ kind }) => kind)).toEqual(commits.map(() => 'committed'));
      expect(await read('sum')).toMatchObject({ sum: 20 });
    });

    it('takes rows up to 400 KB, and refuses larger ones with a failure (fact T10)', async () => {
      const { store, put, read } = await begin();

      await store.commit([put({ text: 'x'.repeat(390 * 1024) })]);
      const tooLarge = store.commit([put({ text: 'x'.repeat(401 * 1024) }, 'large')]);

      await expect(tooLarge).rejects.toMatchObject({
        code: 'row-too-large',
        remedy: 'dead-letter',
      });
      expect(String((await read())?.['text'])).toHaveLength(390 * 1024);
    });

    it('refuses what can’t be one commit: nothing, more than 100 writes, two of one row, an empty key', async () => {
      const { store, put, key } = await begin();
      const many = Array.from({ length: 101 }, (_, i) => put({}, String(i)));
      const empty: Write = { ...put({}), key: { ...key(), sk: '' } };

      await expect(store.commit([])).rejects.toMatchObject({ code: 'writes-too-many' });
      await expect(store.commit(many)).rejects.toMatchObject({ code: 'writes-too-many' });
      await expect(store.commit([put({}), put({})])).rejects.toMatchObject({
        code: 'writes-collide',
      });
      await expect(store.commit([empty])).rejects.toMatchObject({ code: 'key-empty' });
    });

    it('takes 100 writes in one commit (fact T1)', async () => {
      const { store, put, pk } = await begin();

      const commit = await store.commit(
        Array.from({ length: 100 }, (_, i) => put({}, String(i).padStart(3, '0'))),
      );

      expect(commit.kind).toBe('committed');
      expect(await all(store.query('own', { pk }))).toHaveLength(100);
    });

    it('lists the rows of one key in order of the sort key, from a place on', async () => {
      const { store, put, pk } = await begin();
      for (const sk of ['b', 'Z', 'a', 'ü']) await store.commit([put({ sk_: sk }, sk)]);
      const order = async (by: object) =>
        (await all(store.query('own', { pk, ...by }))).map(({ sk }) => sk);

      expect(await order({})).toEqual(['Z', 'a', 'b', 'ü']);
      expect(await order({ from: 'b' })).toEqual(['b', 'ü']);
    });

    it('orders sort keys by their bytes in UTF-8, not by UTF-16', async () => {
      const { store, put, pk } = await begin();
      for (const sk of ['\u{1f600}', '\uff5e']) await store.commit([put({}, sk)]);

      const order = (await all(store.query('own', { pk }))).map(({ sk }) => sk);

      expect(order).toEqual(['\uff5e', '\u{1f600}']);
    });

    it('takes a row out of a sparse index with either of its fields, and moves it with its second', async () => {
      const { store, pk } = await begin();
      const key = { pk, sk: 'row' };
      const change = (part: Partial<Extract<Write, { kind: 'update' }>>): Write => ({
        kind: 'update',
        table: 'jobs',
        key,
        when: [],
        ...part,
      });
      const marked = async () =>
        (await all(store.query('jobs', { pk, index: 'attention' }))).map(({ sweepAt }) => sweepAt);

      await store.commit([change({ set: { sweepShard: pk, sweepAt: 1 } })]);
      const begun = await marked();
      await store.commit([change({ set: { sweepAt: 2 } })]);
      const moved = await marked();
      await store.commit([change({ remove: ['sweepAt'] })]);
      const halved = await marked();
      await store.commit([change({ set: { sweepAt: 3 }, remove: ['sweepShard'] })]);

      expect([begun, moved, halved, await marked()]).toEqual([[1], [2], [], []]);
    });

    it('keeps in a sparse index only the rows that have both its fields, in order of the second', async () => {
      const { store, pk } = await begin();
      const job = (sk: string, fields: Row): Write => ({
        kind: 'put',
        table: 'jobs',
        key: { pk, sk },
        fields: { id: sk, ...fields },
        when: [],
      });
      await store.commit([job('late', { sweepShard: pk, sweepAt: 20 })]);
      await store.commit([job('soon', { sweepShard: pk, sweepAt: 3 })]);
      await store.commit([job('unmarked', {})]);

      const rows = await all(store.query('jobs', { pk, index: 'attention' }));

      expect(rows.map(({ id }) => id)).toEqual(['soon', 'late']);
    });

    it('scans every row in just one segment, and goes on after a key, also of a row that is gone', async () => {
      const { store, put, pk, key } = await begin();
      for (let i = 0; i < 9; i++) await store.commit([put({ i }, `s${i}`)]);
      const mine = (rows: Row[]) => rows.filter((row) => row['pk'] === pk).map(({ sk }) => sk);
      const segments = await Promise.all(
        [0, 1, 2].map(async (segment) => mine(await all(store.scan('own', { segment, of: 3 })))),
      );
      const holding = segments.findIndex((rows) => rows.length > 0);
      const after = mine(
        await all(store.scan('own', { segment: holding, of: 3, after: { pk, sk: 's4' } })),
      );

      await store.commit([{ kind: 'delete', table: 'own', key: key('s6'), when: [] }]);
      const afterGone = mine(
        await all(store.scan('own', { segment: holding, of: 3, after: { pk, sk: 's6' } })),
      );

      expect(segments.flat().sort()).toEqual(Array.from({ length: 9 }, (_, i) => `s${i}`));
      expect(after).toEqual(['s5', 's6', 's7', 's8']);
      expect(afterGone).toEqual(['s7', 's8']);
    });

    it.each([
      ['one write', ['row']],
      ['several writes', ['row', 'other']],
    ])('sends nothing of %s once its epoch is over, and says so', async (_, names) => {
      const { store, put, read } = await begin();
      await store.commit([put({ n: 1 })]);
      const writes = names.map((sk) => put({ n: 2 }, sk));

      await expect(store.commit(writes, over)).rejects.toMatchObject({
        code: 'epoch-over',
        remedy: 'let-go',
      });

      expect(await read()).toMatchObject({ n: 1 });
      expect(await read('other')).toBeUndefined();
      expect((await store.commit(writes, { isOpen: () => true })).kind).toBe('committed');
    });

    it('refuses a table that it does not know', async () => {
      const { store, put } = await begin();

      await expect(store.commit([{ ...put({}), table: 'nowhere' }])).rejects.toMatchObject({
        code: 'table-unknown',
      });
    });
  });
}

/** An invocation that has ended. */
const over = { isOpen: () => false };

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
