import { marshalled, unmarshalled } from '../kernel/attribute-value.ts';
import { permanent } from '../kernel/failure.ts';
import type { Json } from '../kernel/json.ts';
import type { Row, Write } from '../ports/store.ts';

/**
 * The row that a write leaves; undefined where it leaves none.
 *
 * @throws Failure `write-invalid` for what DynamoDB can't do to this row
 */
export function applied(write: Write, old: Row | undefined): Row | undefined {
  switch (write.kind) {
    case 'put':
      return kept({ ...write.fields, ...write.key });
    case 'update':
      return updated(write, old);
    case 'delete':
      return undefined;
    case 'check':
      return old;
  }
}

type Update = Extract<Write, { readonly kind: 'update' }>;

function updated(write: Update, old: Row | undefined): Row {
  const { key, set = {}, add = {}, remove = [], append = {} } = write;
  checkFields(write);
  const entries = new Map<string, Row[string]>(Object.entries({ ...old, ...key }));
  for (const [field, value] of Object.entries(set))
    if (value !== undefined) entries.set(field, value);
  for (const [field, amount] of Object.entries(add))
    entries.set(field, added(entries.get(field), amount, field));
  for (const [field, items] of Object.entries(append))
    entries.set(field, [...listOf(entries.get(field), field), ...items]);
  for (const field of remove) entries.delete(field);
  return kept(Object.fromEntries(entries));
}

/** An update names a field once, and never one of the key. */
function checkFields({ set = {}, add = {}, remove = [], append = {} }: Update): void {
  const given = Object.keys(set).filter((field) => set[field] !== undefined);
  const fields = [...given, ...Object.keys(add), ...remove, ...Object.keys(append)];
  const twice = fields.find((field, i) => fields.indexOf(field) < i);
  if (twice !== undefined)
    throw permanent('write-invalid', `an update changes a field once, "${twice}" is named twice`);
  const own = fields.find((field) => field === 'pk' || field === 'sk');
  if (own !== undefined)
    throw permanent('write-invalid', `an update can't change the key, "${own}" is part of it`);
}

/** Whole numbers are added with all their digits, as DynamoDB does. */
function added(old: Row[string], amount: number, field: string): number | bigint {
  if (old === undefined) return amount;
  if (typeof old !== 'number' && typeof old !== 'bigint') throw mistyped(field, 'a number', old);
  return isWhole(old) && isWhole(amount) ? BigInt(old) + BigInt(amount) : Number(old) + amount;
}

const isWhole = (value: number | bigint): boolean =>
  typeof value === 'bigint' || Number.isSafeInteger(value);

function listOf(old: Row[string], field: string): readonly Json[] {
  if (old === undefined) return [];
  if (Array.isArray(old)) return old;
  throw mistyped(field, 'a list', old);
}

const mistyped = (field: string, wanted: string, found: unknown) =>
  permanent(
    'write-invalid',
    `"${field}" must be ${wanted} to be changed so, it is a ${found === null ? 'null' : typeof found}`,
  );

/** A copy that shares nothing with the caller, as DynamoDB would give it back: without the fields that have no value. */
export const kept = (row: Row): Row => unmarshalled(marshalled(row));
