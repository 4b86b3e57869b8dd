import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { type Failure, isFailure } from '../kernel/failure.ts';
import { never } from '../kernel/never.ts';
import {
  bucketOf,
  type CheckedSettings,
  tablesOf,
  targetsOf,
  type Variables,
} from './aws-settings.ts';
import { bucketSettings, type ClientSettings, clientSettings } from './client-settings.ts';
import { loaded } from './loaded.ts';
import { lookFailure } from './look-failure.ts';
import { placeOf } from './place.ts';
import { queueUrls } from './queue-urls.ts';
import type { Resource } from './resource.ts';
import { tableMistakes } from './table-mistakes.ts';
import { queueMistakes, topicMistakes } from './target-mistakes.ts';

type Found = Promise<readonly Failure[]>;

/** One look at each resource, over clients of its own. */
export class Inspection {
  readonly #settings: CheckedSettings;
  readonly #variables: Variables;
  readonly #config: ClientSettings;
  readonly #dynamo: DynamoDBClient;
  readonly #s3: S3Client;
  readonly #sqs: SQSClient;

  constructor(settings: CheckedSettings, variables: Variables, requestHandler: NodeHttpHandler) {
    this.#settings = settings;
    this.#variables = variables;
    this.#config = clientSettings(settings, requestHandler);
    this.#dynamo = new DynamoDBClient(this.#config);
    this.#s3 = new S3Client({ ...this.#config, ...bucketSettings(settings, variables) });
    this.#sqs = new SQSClient(this.#config);
  }

  /** @throws Failure for a setting that is missing or malformed */
  async tables(): Found {
    const all = grouped(tablesOf(this.#settings, this.#variables));
    return flat(all.map(([real, ours]) => this.#table({ what: 'table', real, ours })));
  }

  /** @throws Failure for a setting that is missing */
  async bucket(): Found {
    const Bucket = bucketOf(this.#settings, this.#variables);
    return this.#look({ what: 'bucket', real: Bucket, ours: [] }, 's3:ListBucket', async () => {
      await this.#s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }));
      return [];
    });
  }

  /** @throws Failure for a setting that is missing or malformed */
  async targets(): Found {
    const all = grouped(targetsOf(this.#settings, this.#variables));
    return flat(all.map(([real, ours]) => this.#target(real, ours).catch(failureOnly)));
  }

  #table(table: Resource): Found {
    return this.#look(table, 'dynamodb:DescribeTable', async () => {
      const command = new DescribeTableCommand({ TableName: table.real });
      const { Table = {} } = await this.#dynamo.send(command);
      return tableMistakes(Table, table);
    });
  }

  async #target(real: string, ours: readonly string[]): Found {
    const place = placeOf(ours[0] ?? '', real);
    switch (place.kind) {
      case 'queue':
        return this.#queue({ what: 'queue', real, ours }, async () => place.url);
      case 'queue-by-arn':
        return this.#queue({ what: 'queue', real, ours }, () => queueUrls(this.#sqs)(place.arn));
      case 'topic':
        return this.#topic({ what: 'topic', real, ours });
      case 'bus':
        return this.#bus({ what: 'bus', real, ours });
      default:
        return never(place);
    }
  }

  #queue(queue: Resource, url: () => Promise<string>): Found {
    return this.#look(queue, 'sqs:GetQueueAttributes and sqs:GetQueueUrl', async () => {
      // By name, SQS refuses `FifoQueue` of a standard queue.
      const command = new GetQueueAttributesCommand({
        QueueUrl: await url(),
        AttributeNames: ['All'],
      });
      const { Attributes = {} } = await this.#sqs.send(command);
      const { timeouts = {} } = this.#settings;
      return queueMistakes(
        Attributes,
        queue,
        queue.ours.map((name) => timeouts[name] ?? 0),
      );
    });
  }

  #topic(topic: Resource): Found {
    return this.#look(topic, 'sns:GetTopicAttributes', async () => {
      const { GetTopicAttributesCommand, SNSClient } = await loaded(
        '@aws-sdk/client-sns',
        () => import('@aws-sdk/client-sns'),
      );
      const command = new GetTopicAttributesCommand({ TopicArn: topic.real });
      const { Attributes = {} } = await new SNSClient(this.#config).send(command);
      return topicMistakes(Attributes, topic);
    });
  }

  #bus(bus: Resource): Found {
    return this.#look(bus, 'events:DescribeEventBus', async () => {
      const { DescribeEventBusCommand, EventBridgeClient } = await loaded(
        '@aws-sdk/client-eventbridge',
        () => import('@aws-sdk/client-eventbridge'),
      );
      const client = new EventBridgeClient(this.#config);
      await client.send(new DescribeEventBusCommand({ Name: bus.real }));
      return [];
    });
  }

  async #look(resource: Resource, permission: string, found: () => Found): Found {
    try {
      return await found();
    } catch (thrown) {
      const region = await this.#sqs.config.region().catch(() => 'no region');
      return [lookFailure(thrown, { resource, permission, region })];
    }
  }
}

/** A setting that is missing or malformed is one more thing that is wrong. */
export function failureOnly(thrown: unknown): readonly Failure[] {
  if (isFailure(thrown)) return [thrown];
  throw thrown;
}

/** Our names by the real one, since several may stand for one resource. */
function grouped(
  names: Readonly<Record<string, string>>,
): readonly (readonly [string, readonly string[]])[] {
  const reals = [...new Set(Object.values(names))];
  return reals.map((real) => [real, Object.keys(names).filter((name) => names[name] === real)]);
}

const flat = async (all: readonly Found[]): Found => (await Promise.all(all)).flat();
