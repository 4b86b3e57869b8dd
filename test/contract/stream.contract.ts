import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type AttributeValue, unmarshalled } from '../../lib/kernel/attribute-value.ts';
import type { Key, Row, Store, Write } from '../../lib/ports/store.ts';

/** A store under contract whose table `jobs` has a stream with new and old images. */
export interface StreamAtHand {
  readonly store: Store;
  /** Not used by any other suite. */
  readonly prefix: string;
  /** All that the stream tells of this partition key, once it had time to tell it. */
  records(pk: string): Promise<readonly DynamoDBRecord[]>;
}

/** What every table's stream promises; facts outbox S2, S3, S10, T3. Each case works on keys of its own. */
export function streamContract(name: string, open: () => Promise<StreamAtHand>): void {
  let cases = 0;
  const begin = async () => {
    const { store, prefix, records } = await open();
    cases += 1;
    const pk = `${prefix}-${cases}`;
    const at = (sk: string): { readonly table: string; readonly key: Key } => ({
      table: 'jobs',
      key: { pk, sk },
    });
    const put = (fields: Row, sk = 'row'): Write => ({ kind: 'put', ...at(sk), fields, when: [] });
    const add = (amount: number, sk = 'row'): Write => ({
      kind: 'update',
      ...at(sk),
      add: { n: amount },
      when: [],
    });
    return { store, pk, at, put, add, told: async () => (await records(pk)).map(plain) };
  };

  describe(`the stream contract, kept by ${name}`, () => {
    it('tells a row’s beginning, change and end, with its images', async () => {
      const { store, pk, at, put, told } = await begin();
      const key = { pk, sk: 'row' };
      await store.commit([put({ n: 1 })]);
      await store.commit([put({ n: 2 })]);
      await store.commit([{ kind: 'delete', ...at('row'), when: [] }]);

      expect(await told()).toEqual([
        { name: 'INSERT', key, old: undefined, new: { ...key, n: 1 } },
        { name: 'MODIFY', key, old: { ...key, n: 1 }, new: { ...key, n: 2 } },
        { name: 'REMOVE', key, old: { ...key, n: 2 }, new: undefined },
      ]);
    });

    it('tells the changes of one row once each, in the order made (fact S2)', async () => {
      const { store, add, told } = await begin();

      await Promise.all(Array.from({ length: 40 }, () => store.commit([add(1)])));

      const images = (await told()).map((record) => [record.old?.['n'], record.new?.['n']]);
      expect(images).toEqual(
        Array.from({ length: 40 }, (_, i) => [i === 0 ? undefined : i, i + 1]),
      );
    });

    it('tells nothing of a write that changes nothing (fact S3)', async () => {
      const { store, at, put, told } = await begin();
      await store.commit([put({ n: 1, map: { a: 1, b: [2] } })]);

      await store.commit([put({ map: { b: [2], a: 1 }, n: 1 })]);
      await store.commit([{ kind: 'update', ...at('row'), set: { n: 1 }, when: [] }]);
      await store.commit([{ kind: 'delete', ...at('none'), when: [] }]);
      await store.commit([
        { kind: 'check', ...at('row'), when: [{ kind: 'present', why: 'there' }] },
      ]);

      expect((await told()).map((record) => record.name)).toEqual(['INSERT']);
    });

    it('tells nothing of a commit that was refused', async () => {
      const { store, put, told } = await begin();

      const commit = await store.commit([
        put({ n: 1 }, 'a'),
        { ...put({ n: 1 }, 'b'), when: [{ kind: 'present', why: 'there' }] },
      ]);

      expect(commit.kind).toBe('refused');
      expect(await told()).toEqual([]);
    });

    it('tells each row of a transaction by itself (fact T3)', async () => {
      const { store, put, told } = await begin();

      await store.commit([put({ n: 1 }, 'a'), put({ n: 2 }, 'b')]);

      const rows = (await told()).map((record) => record.key['sk']);
      expect(rows.sort()).toEqual(['a', 'b']);
    });

    it('carries every digit of whole numbers beyond 2^53 (fact S10)', async () => {
      const { store, put, told } = await begin();
      await store.commit([put({ big: 2n ** 63n + 1n })]);

      expect((await told())[0]?.new).toMatchObject({ big: 2n ** 63n + 1n });
    });
  });
}

function plain({ eventName, dynamodb }: DynamoDBRecord) {
  const row = (image: Readonly<Record<string, unknown>> | undefined) =>
    image && unmarshalled(image as Record<string, AttributeValue>);
  return {
    name: eventName,
    key: row(dynamodb?.Keys) ?? {},
    old: row(dynamodb?.OldImage),
    new: row(dynamodb?.NewImage),
  };
}
