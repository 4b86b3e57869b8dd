import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ulid } from 'ulid';
import { realClock } from '../handler/real-clock.ts';
import { permanent } from '../kernel/failure.ts';
import { jsonLines } from '../observe/json-lines.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { World } from '../ports/world.ts';
import { AwsSender } from './aws-sender.ts';
import { type AwsSettings, bucketOf, tablesOf, targetsOf, type Variables } from './aws-settings.ts';
import { bucketSettings, clientSettings } from './client-settings.ts';
import { DynamoStore } from './dynamo-store.ts';
import { placesOf } from './place.ts';
import { queueUrls } from './queue-urls.ts';
import { S3Bucket } from './s3-bucket.ts';
import { SqsVisibility } from './sqs-visibility.ts';

/**
 * The world on SQS, SNS, EventBridge, DynamoDB and S3, with the default chain's region and credentials and the endpoints of
 * `AWS_ENDPOINT_URL` and its per-service forms. Call it at module level, so that clients are made once per sandbox.
 *
 * Parts are made at first touch. @throws Failure at that touch for a setting that is missing or malformed, by its name
 * @example
 * export const handler = jobHandler(exportJob, onAws());
 */
export const onAws = (settings: AwsSettings = {}): World => new AwsWorld(settings, process.env);

const printLines = jsonLines((line) => void process.stdout.write(`${line}\n`));

class AwsWorld implements World {
  readonly clock: Clock = realClock;
  readonly random: Random = awsRandom(realClock);
  readonly observe: World['observe'];
  readonly #settings: AwsSettings;
  readonly #variables: Variables;
  #store: DynamoStore | undefined;
  #bucket: S3Bucket | undefined;
  #sender: AwsSender | undefined;
  #visibility: SqsVisibility | undefined;
  #sqs: SQSClient | undefined;

  constructor(settings: AwsSettings, variables: Variables) {
    this.#settings = settings;
    this.#variables = variables;
    this.observe = settings.observe ?? printLines;
  }

  get store(): DynamoStore {
    if (this.#store !== undefined) return this.#store;
    const tables = tablesOf(this.#settings, this.#variables);
    this.#store = new DynamoStore({
      client: new DynamoDBClient(clientSettings(this.#settings)),
      clock: this.clock,
      random: this.random,
      tableName: (name) => named(tables, name),
      knows: (name) => Object.hasOwn(tables, name),
    });
    return this.#store;
  }

  get bucket(): S3Bucket {
    this.#bucket ??= new S3Bucket(
      new S3Client({
        ...clientSettings(this.#settings),
        ...bucketSettings(this.#settings, this.#variables),
      }),
      bucketOf(this.#settings, this.#variables),
    );
    return this.#bucket;
  }

  get sender(): AwsSender {
    this.#sender ??= new AwsSender({
      places: placesOf(targetsOf(this.#settings, this.#variables)),
      sqs: this.#queues(),
      urlOf: queueUrls(this.#queues()),
      config: clientSettings(this.#settings),
    });
    return this.#sender;
  }

  get visibility(): SqsVisibility {
    this.#visibility ??= new SqsVisibility(this.#queues(), queueUrls(this.#queues()));
    return this.#visibility;
  }

  #queues(): SQSClient {
    this.#sqs ??= new SQSClient(clientSettings(this.#settings));
    return this.#sqs;
  }
}

function named(tables: Readonly<Record<string, string>>, name: string): string {
  const real = tables[name];
  if (real !== undefined) return real;
  throw permanent(
    'table-unknown',
    `there is no table "${name}", there are ${Object.keys(tables).join(', ')}`,
  );
}

const awsRandom = (clock: Clock): Random => ({
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  ulid: () => ulid(clock.now()),
});
