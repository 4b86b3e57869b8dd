import type { KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Failure } from '../kernel/failure.ts';
import { attention, tables } from '../kernel/settings.ts';
import { type Resource, wrong } from './resource.ts';

const own: ReadonlySet<string> = new Set(Object.values(tables));
const view = 'NEW_AND_OLD_IMAGES';
const wanted = { whole: 'pk (S), sk (S)', alone: 'pk (S)' } as const;
const indexed = `${attention.key.pk} (S), ${attention.key.sk} (N)`;

/** What is wrong with a table as DynamoDB describes it; a table of your own may do without a sort key. */
export function tableMistakes(found: TableDescription, table: Resource): readonly Failure[] {
  const isOurs = table.ours.some((name) => own.has(name));
  return [
    ...keyMistakes(found, table, isOurs),
    ...(table.ours.includes(tables.jobs) ? jobsMistakes(found, table) : []),
  ];
}

function keyMistakes(
  found: TableDescription,
  table: Resource,
  isOurs: boolean,
): readonly Failure[] {
  const keys = keysOf(found.KeySchema, found);
  if (keys === wanted.whole || (!isOurs && keys === wanted.alone)) return [];
  const sentence = `has the keys ${keys}: make it anew with ${wanted.whole}, since keys can't be changed`;
  return [wrong(table, 'table-keys-wrong', sentence)];
}

function jobsMistakes(found: TableDescription, table: Resource): readonly Failure[] {
  return [...streamMistakes(found, table), ...indexMistakes(found, table)];
}

function streamMistakes(found: TableDescription, table: Resource): readonly Failure[] {
  const { StreamEnabled = false, StreamViewType } = found.StreamSpecification ?? {};
  if (!StreamEnabled) {
    const sentence = `has no stream, so no event would be published: switch it on with ${view}`;
    return [wrong(table, 'stream-off', sentence)];
  }
  if (StreamViewType === view) return [];
  const sentence = `has a stream of ${StreamViewType}, which shows no events: switch it off, and on with ${view}`;
  return [wrong(table, 'stream-off', sentence)];
}

function indexMistakes(found: TableDescription, table: Resource): readonly Failure[] {
  const index = found.GlobalSecondaryIndexes?.find(
    ({ IndexName }) => IndexName === attention.index,
  );
  if (index === undefined) {
    const sentence = `has no index "${attention.index}", so no orphan would be swept: add it with the keys ${indexed}`;
    return [wrong(table, 'index-missing', sentence)];
  }
  const keys = keysOf(index.KeySchema, found);
  if (keys === indexed) return [];
  const sentence = `has an index "${attention.index}" with the keys ${keys}: make the index anew with ${indexed}`;
  return [wrong(table, 'index-keys-wrong', sentence)];
}

/** Keys with their types, the hash key first. */
function keysOf(
  schema: readonly KeySchemaElement[] = [],
  { AttributeDefinitions = [] }: TableDescription,
): string {
  const typeOf = (name: string | undefined) =>
    AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? '?';
  return schema
    .toSorted((a, b) => Number(b.KeyType === 'HASH') - Number(a.KeyType === 'HASH'))
    .map(({ AttributeName }) => `${AttributeName} (${typeOf(AttributeName)})`)
    .join(', ');
}
