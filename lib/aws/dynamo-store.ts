import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  paginateScan,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { checkWrites } from '../kernel/check-writes.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { Failure, permanent } from '../kernel/failure.ts';
import { attention, timeIndex } from '../kernel/settings.ts';
import { milliseconds, times } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Commit, Key, Row, RowRange, Store, Write } from '../ports/store.ts';
import { bound } from './bound.ts';
import { expressionOf } from './expression.ts';
import { itemOf, rowOf } from './item.ts';
import { keyOf, transactItemOf } from './transact-item-of.ts';
import { nameOf, troubleOf } from './trouble.ts';

/** What a store on DynamoDB needs. */
export interface DynamoSettings {
  readonly client: DynamoDBClient;
  /** The real name of a table, by the name that handlers use. @throws Failure for an unknown one */
  tableName(name: string): string;
  knows(name: string): boolean;
  readonly clock: Clock;
  readonly random: Random;
}

/** How often a throttled request or a transaction in conflict is sent again by us, behind the SDK's own tries. */
const tries = 6;

/** A {@link Store} on DynamoDB: one write is one conditional request, several are one transaction. */
export class DynamoStore implements Store {
  readonly #settings: DynamoSettings;

  constructor(settings: DynamoSettings) {
    this.#settings = settings;
  }

  /** The real name of a table. */
  tableName(name: string): string {
    return this.#settings.tableName(name);
  }

  knows(table: string): boolean {
    return this.#settings.knows(table);
  }

  async read(table: string, key: Key): Promise<Row | undefined> {
    const { client, tableName } = this.#settings;
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName(table), Key: keyOf(key), ConsistentRead: true }),
    );
    return Item && rowOf(Item);
  }

  async commit(writes: readonly Write[], epoch?: Epoch): Promise<Commit> {
    check(writes);
    const [first] = writes;
    const token = this.#settings.random.ulid();
    const act =
      first !== undefined && writes.length === 1 && first.kind !== 'check'
        ? () => this.#one(first, epoch)
        : () => this.#several(writes, token, epoch);
    return this.#patiently(act);
  }

  async *query(table: string, by: RowRange): AsyncIterable<Row> {
    const { client, tableName } = this.#settings;
    const { most = Number.POSITIVE_INFINITY } = by;
    let left = most;
    for await (const { Items = [] } of paginateQuery({ client }, queryOf(tableName(table), by))) {
      for (const item of Items.slice(0, left)) yield rowOf(item);
      left -= Items.length;
      if (left <= 0) return;
    }
  }

  async *scan(
    table: string,
    by: { readonly segment: number; readonly of: number; readonly after?: Key },
  ): AsyncIterable<Row> {
    const { client, tableName } = this.#settings;
    const pages = paginateScan(
      { client },
      {
        TableName: tableName(table),
        Segment: by.segment,
        TotalSegments: by.of,
        ConsistentRead: true,
        ...(by.after === undefined ? {} : { ExclusiveStartKey: keyOf(by.after) }),
      },
    );
    for await (const { Items = [] } of pages) for (const item of Items) yield rowOf(item);
  }

  /** Throttling and conflicts say nothing about the guards: sent again with jitter, and in the end thrown. */
  async #patiently(act: () => Promise<Commit>): Promise<Commit> {
    const { clock, random } = this.#settings;
    for (let done = 1; ; done++) {
      try {
        return await act();
      } catch (thrown) {
        const trouble = troubleOf(thrown);
        if (trouble === 'unknown') return { kind: 'unknown' };
        if (trouble === 'other' || done === tries) throw readable(thrown);
      }
      await clock.sleep(times(milliseconds(25 * 2 ** done), random.fraction()));
    }
  }

  async #one(write: Write, epoch: Epoch | undefined): Promise<Commit> {
    try {
      return { kind: 'committed', ...(await this.#sent(write, epoch)) };
    } catch (thrown) {
      if (!(thrown instanceof ConditionalCheckFailedException)) throw thrown;
      return this.#refused(0, write, thrown.Item);
    }
  }

  async #sent(write: Write, epoch: Epoch | undefined): Promise<{ readonly row?: Row }> {
    const { client, tableName } = this.#settings;
    const request = {
      TableName: tableName(write.table),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      ...expressionOf(write),
    };
    switch (write.kind) {
      case 'put': {
        const Item = itemOf({ ...write.fields, ...write.key });
        await client.send(bound(new PutItemCommand({ ...request, Item }), epoch));
        return { row: rowOf(Item) };
      }
      case 'update': {
        const Key = keyOf(write.key);
        const command = new UpdateItemCommand({ ...request, Key, ReturnValues: 'ALL_NEW' });
        const { Attributes } = await client.send(bound(command, epoch));
        return Attributes === undefined ? {} : { row: rowOf(Attributes) };
      }
      default:
        await client.send(
          bound(new DeleteItemCommand({ ...request, Key: keyOf(write.key) }), epoch),
        );
        return {};
    }
  }

  async #several(
    writes: readonly Write[],
    ClientRequestToken: string,
    epoch: Epoch | undefined,
  ): Promise<Commit> {
    const { client, tableName } = this.#settings;
    const TransactItems = writes.map((write) => transactItemOf(write, tableName(write.table)));
    try {
      const command = new TransactWriteItemsCommand({ TransactItems, ClientRequestToken });
      await client.send(bound(command, epoch));
      return { kind: 'committed' };
    } catch (thrown) {
      if (!(thrown instanceof TransactionCanceledException)) throw thrown;
      return this.#cancelled(writes, thrown);
    }
  }

  /** Reasons stand by position; a refused guard decides, whatever else went wrong. */
  async #cancelled(
    writes: readonly Write[],
    thrown: TransactionCanceledException,
  ): Promise<Commit> {
    const reasons = thrown.CancellationReasons ?? [];
    const at = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
    const write = writes[at];
    if (write !== undefined) return this.#refused(at, write, reasons[at]?.Item);
    const passing = reasons.some(({ Code }) => Code !== undefined && mayPass.has(Code));
    throw passing ? Object.assign(thrown, { name: 'TransactionConflictException' }) : thrown;
  }

  /** A refusal without the old row is looked up once, since some stores don't give it. */
  async #refused(
    at: number,
    write: Write,
    item: Record<string, AttributeValue> | undefined,
  ): Promise<Commit> {
    const old = item === undefined ? await this.read(write.table, write.key) : rowOf(item);
    return { kind: 'refused', at, ...(old === undefined ? {} : { old }) };
  }
}

/** Reasons of a cancelled transaction that say nothing about its guards. */
const mayPass: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** @throws Failure for what DynamoDB would refuse whole, in the words of this library */
function check(writes: readonly Write[]): void {
  checkWrites(writes);
  for (const { table, key } of writes)
    if (key.pk === '' || key.sk === '')
      throw permanent('key-empty', `a key of table "${table}" has an empty part`);
}

/** What no retry can mend, told as a failure; the rest as it came, for the classification to read. */
function readable(thrown: unknown): unknown {
  const message = thrown instanceof Error ? thrown.message : '';
  if (nameOf(thrown) !== 'ValidationException' && nameOf(thrown) !== 'TransactionCanceledException')
    return thrown;
  const code = /size/i.test(message) ? 'row-too-large' : 'write-invalid';
  return new Failure(code, `DynamoDB will never take this write: ${message}`, {
    remedy: 'dead-letter',
    cause: thrown,
  });
}

/** The keys of an index, or of a table itself. */
function fieldsOf(index: string | undefined): { readonly pk: string; readonly sk: string } {
  const known = [attention, timeIndex].find((one) => one.index === index);
  return known?.key ?? { pk: 'pk', sk: 'sk' };
}

function queryOf(TableName: string, { pk, index, from, most }: RowRange): QueryCommandInput {
  const fields = fieldsOf(index);
  return {
    TableName,
    // Only a table's own rows can be read consistently (DynamoDB developer guide, "Read consistency").
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
    ...(most === undefined ? {} : { Limit: most }),
    KeyConditionExpression: from === undefined ? '#pk = :pk' : '#pk = :pk AND #sk >= :from',
    ExpressionAttributeNames: {
      '#pk': fields.pk,
      ...(from === undefined ? {} : { '#sk': fields.sk }),
    },
    ExpressionAttributeValues: itemOf({
      ':pk': pk,
      ...(from === undefined ? {} : { ':from': from }),
    }),
  };
}
