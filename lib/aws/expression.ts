import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { never } from '../kernel/never.ts';
import type { Condition, Key, Row, Write } from '../ports/store.ts';
import { itemOf } from './item.ts';

/** What a request needs of a write: its expressions, and the names and values that they speak of. */
export interface Expression {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** The expressions of a write. */
export function expressionOf(write: Write): Expression {
  const terms = new Terms();
  const condition = all(write.when, write.key, terms);
  const update = write.kind === 'update' ? updateOf(write, terms) : '';
  return {
    ...(condition === '' ? {} : { ConditionExpression: condition }),
    ...(update === '' ? {} : { UpdateExpression: update }),
    ...terms.named(),
  };
}

/** Names and values under placeholders, each once. */
class Terms {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, Row[string]> = {};
  #count = 0;

  name(field: string): string {
    const known = this.#names.get(field) ?? `#n${this.#names.size}`;
    this.#names.set(field, known);
    return known;
  }

  value(value: Row[string]): string {
    const placeholder = `:v${this.#count}`;
    this.#count += 1;
    this.#values[placeholder] = value;
    return placeholder;
  }

  named(): Pick<Expression, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
    const names = Object.fromEntries([...this.#names].map(([field, name]) => [name, field]));
    return {
      ...(this.#names.size === 0 ? {} : { ExpressionAttributeNames: names }),
      ...(this.#count === 0 ? {} : { ExpressionAttributeValues: itemOf(this.#values) }),
    };
  }
}

const all = (conditions: readonly Condition[], key: Key, terms: Terms): string =>
  conditions.map((condition) => one(condition, key, terms)).join(' AND ');

function one(condition: Condition, key: Key, terms: Terms): string {
  switch (condition.kind) {
    case 'absent':
      return `attribute_not_exists(${terms.name(condition.field ?? 'pk')})`;
    case 'present':
      return `attribute_exists(${terms.name(condition.field ?? 'pk')})`;
    case 'equals':
      return `${terms.name(condition.field)} = ${terms.value(condition.value)}`;
    case 'less':
      return `${terms.name(condition.field)} < ${terms.value(condition.value)}`;
    case 'greater':
      return `${terms.name(condition.field)} > ${terms.value(condition.value)}`;
    case 'any':
      return anyOf(condition.of, key, terms);
    default:
      return never(condition);
  }
}

/** An empty list holds whole; no list at all never does, and DynamoDB has no word for false. */
function anyOf(lists: readonly (readonly Condition[])[], key: Key, terms: Terms): string {
  if (lists.some((list) => list.length === 0))
    return `(attribute_exists(${terms.name('pk')}) OR attribute_not_exists(${terms.name('pk')}))`;
  if (lists.length === 0)
    return `(attribute_exists(${terms.name('pk')}) AND attribute_not_exists(${terms.name('pk')}))`;
  const texts = lists.map((list) =>
    inOne(
      list.map((it) => one(it, key, terms)),
      ' AND ',
    ),
  );
  return inOne(texts, ' OR ');
}

/** Several as one; DynamoDB refuses parentheses around what is one already. */
const inOne = (parts: readonly string[], word: string): string =>
  parts.length === 1 ? parts.join('') : `(${parts.join(word)})`;

type Update = Extract<Write, { readonly kind: 'update' }>;

function updateOf({ set = {}, add = {}, remove = [], append = {} }: Update, terms: Terms): string {
  const sets = [
    ...Object.entries(set)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => `${terms.name(field)} = ${terms.value(value)}`),
    ...Object.entries(append).map(([field, items]) => {
      const list = terms.name(field);
      return `${list} = list_append(if_not_exists(${list}, ${terms.value([])}), ${terms.value(items)})`;
    }),
  ];
  const adds = Object.entries(add).map(
    ([field, amount]) => `${terms.name(field)} ${terms.value(amount)}`,
  );
  return [
    clause('SET', sets),
    clause('ADD', adds),
    clause(
      'REMOVE',
      remove.map((field) => terms.name(field)),
    ),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

const clause = (word: string, parts: readonly string[]): string =>
  parts.length === 0 ? '' : `${word} ${parts.join(', ')}`;
