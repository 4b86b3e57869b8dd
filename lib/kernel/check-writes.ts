import { permanent } from './failure.ts';

interface Placed {
  readonly table: string;
  readonly key: { readonly pk: string; readonly sk?: string };
}

/**
 * What DynamoDB refuses whole, before any guard is looked at.
 *
 * @throws Failure `writes-too-many` for none and for more than 100, `writes-collide` for two of one row
 */
export function checkWrites(writes: readonly Placed[]): void {
  if (writes.length === 0 || writes.length > 100)
    throw permanent('writes-too-many', `a commit has 1 to 100 writes, got ${writes.length}`);
  const places = new Set(writes.map(({ table, key }) => JSON.stringify([table, key.pk, key.sk])));
  if (places.size < writes.length)
    throw permanent('writes-collide', 'a commit has at most one write for each row');
}
