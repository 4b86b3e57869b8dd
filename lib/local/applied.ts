import { marshalled, unmarshalled } from '../kernel/attribute-value.ts';
import { permanent } from '../kernel/failure.ts';
import type { Json } from '../kernel/json.ts';
import type { Row, Write } from '../ports/store.ts';

/** The row that a write leaves; undefined where it leaves none. */
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

function updated(
  { key, set = {}, add = {}, remove = [], append = {} }: Update,
  old: Row | undefined,
): Row {
  const row: Record<string, Row[string]> = { ...old, ...key };
  for (const [field, value] of Object.entries(set)) if (value !== undefined) row[field] = value;
  for (const [field, amount] of Object.entries(add))
    row[field] = added(old?.[field], amount, field);
  for (const [field, items] of Object.entries(append))
    row[field] = [...listOf(old?.[field], field), ...items];
  for (const field of remove) delete row[field];
  return kept(row);
}

function added(old: Row[string], amount: number, field: string): number | bigint {
  if (old === undefined) return amount;
  if (typeof old === 'bigint') return old + BigInt(amount);
  if (typeof old === 'number') return old + amount;
  throw mistyped(field, 'a number', old);
}

function listOf(old: Row[string], field: string): readonly Json[] {
  if (old === undefined) return [];
  if (Array.isArray(old)) return old;
  throw mistyped(field, 'a list', old);
}

const mistyped = (field: string, wanted: string, found: unknown) =>
  permanent(
    'field-mistyped',
    `"${field}" must be ${wanted} to be changed so, it is a ${typeof found}`,
  );

/** A copy that shares nothing with the caller, as DynamoDB would give it back: without the fields that have no value. */
export const kept = (row: Row): Row => unmarshalled(marshalled(row));
