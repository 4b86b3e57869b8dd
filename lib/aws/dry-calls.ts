import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ulid } from 'ulid';
import { realClock } from '../handler/real-clock.ts';
import { isFailure } from '../kernel/failure.ts';
import { tables } from '../kernel/settings.ts';
import { bucketOf, tablesOf } from './aws-settings.ts';
import { bucketSettings, clientSettings } from './client-settings.ts';
import type { Examination } from './examination.ts';
import { error, type Finding, warning } from './finding.ts';
import { looked } from './looked.ts';
import { type Resource, wrong } from './resource.ts';
import type { Standpoint } from './standpoint.ts';
import { nameOf } from './trouble.ts';

/** A call that changes nothing, whoever makes it. */
interface DryCall {
  readonly resource: Resource;
  /** What IAM calls it. */
  readonly action: string;
  /** The error that it must end in; none for a read. */
  readonly refusal?: string;
  send(): Promise<unknown>;
}

/** No row is there and not there, so DynamoDB refuses every write under it. */
const never = { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(pk)' };

/** Reads of what nobody has, and writes that must be refused: what they are denied, the caller may not do. */
export class DryCalls {
  readonly #at: Standpoint;
  readonly #dynamo: DynamoDBClient;
  readonly #s3: S3Client;

  constructor(at: Standpoint) {
    const { settings, variables, requestHandler } = at;
    this.#at = at;
    const config = clientSettings(settings, requestHandler);
    this.#dynamo = new DynamoDBClient(config);
    this.#s3 = new S3Client({ ...config, ...bucketSettings(settings, variables) });
  }

  /** @throws Failure for a setting that is missing or malformed */
  async permissions(): Promise<Examination> {
    const nobodys = `doctor#${ulid(realClock.now())}`;
    const calls = [...this.#toTables(nobodys), this.#toBucket(nobodys)];
    const findings = await Promise.all(calls.map((call) => this.#made(call)));
    return {
      findings: findings.flat(),
      looked: [`${calls.length} calls that change nothing, made with your own credentials`],
    };
  }

  #toTables(nobodys: string): readonly DryCall[] {
    const all = Object.entries(tablesOf(this.#at.settings, this.#at.variables));
    const own: readonly string[] = Object.values(tables);
    return all
      .filter(([name]) => own.includes(name))
      .flatMap(([name, TableName]) => {
        const resource = { what: 'table', real: TableName, ours: [name] } as const;
        const key = { pk: { S: nobodys }, sk: { S: 'doctor' } };
        const row = { TableName, Key: key };
        const refusal = 'ConditionalCheckFailedException';
        return [
          {
            resource,
            action: 'dynamodb:GetItem',
            send: () => this.#dynamo.send(new GetItemCommand(row)),
          },
          {
            resource,
            action: 'dynamodb:PutItem',
            refusal,
            send: () => this.#dynamo.send(new PutItemCommand({ TableName, Item: key, ...never })),
          },
          {
            resource,
            action: 'dynamodb:UpdateItem',
            refusal,
            send: () => this.#dynamo.send(new UpdateItemCommand({ ...row, ...never })),
          },
        ];
      });
  }

  #toBucket(nobodys: string): DryCall {
    const Bucket = bucketOf(this.#at.settings, this.#at.variables);
    return {
      resource: { what: 'bucket', real: Bucket, ours: [] },
      action: 's3:GetObject',
      refusal: 'NotFound',
      send: () => this.#s3.send(new HeadObjectCommand({ Bucket, Key: `results/${nobodys}` })),
    };
  }

  async #made({ resource, action, refusal, send }: DryCall): Promise<readonly Finding[]> {
    const settled = async (): Promise<boolean> => {
      try {
        await send();
        return refusal === undefined;
      } catch (thrown) {
        if (nameOf(thrown) === refusal) return true;
        throw thrown;
      }
    };
    try {
      if (await looked(this.#dynamo, { resource, permission: action }, settled)) return [];
      const sentence = `took ${action} under a condition that can't hold: what keeps no conditions can't fence jobs, so use another one`;
      return [error(wrong(resource, 'condition-ignored', sentence))];
    } catch (thrown) {
      return unexpected(thrown, resource, action);
    }
  }
}

/** What is missing was told before. */
function unexpected(thrown: unknown, resource: Resource, action: string): readonly Finding[] {
  if (!isFailure(thrown)) throw thrown;
  if (thrown.code === `${resource.what}-missing`) return [];
  if (thrown.code !== 'access-denied') return [error(thrown)];
  const sentence = `refuses ${action} to whoever runs this check: allow it, if they shall have it; it says nothing of what your functions may do`;
  return [warning(wrong(resource, 'call-denied', sentence))];
}
