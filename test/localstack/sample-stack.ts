import { readFileSync } from 'node:fs';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AwsSettings, onAws } from '../../lib/aws/index.ts';
import type { World } from '../../lib/index.ts';
import { stand } from '../aws/stand.ts';
import { bundled } from './bundled.ts';
import * as lambda from './lambda.ts';
import { zipped } from './zipped.ts';

/** The sample, deployed: its functions behind mappings. */
export interface SampleStack extends AsyncDisposable {
  readonly world: World;
  /** A queue that gets the events beside the catalogue's. */
  readonly events: string;
  /** Invokes the sweeper, which on AWS a schedule does. */
  sweep(): Promise<unknown>;
}

/** Deploys the sample with the datasets of these files beside it. */
export async function sampleStack(datasets: readonly string[]): Promise<SampleStack> {
  const { settings } = await stand();
  const name = settings.bucket ?? '';
  const commands = await aQueue(`${name}-commands.fifo`);
  const events = await aQueue(`${name}-events.fifo`);
  const catalogue = await aQueue(`${name}-catalogue.fifo`);
  const dead = await aQueue(`${name}-dead.fifo`);
  const targets = {
    'commands-export': commands.url,
    events: await aTopic(`${name}-events.fifo`, [events.arn, catalogue.arn]),
    'dead-letters': dead.url,
  };
  // The stand's own table is the catalogue's.
  const { own = '', ...tables } = settings.tables ?? {};
  const used = { ...settings, targets, tables: { ...tables, catalogue: own } };
  await deploy(name, used, datasets);
  const mappings = [
    await lambda.createMapping(commands.arn, `${name}-worker`, { BatchSize: 10 }),
    await lambda.createMapping(catalogue.arn, `${name}-catalogue-consumer`, { BatchSize: 10 }),
    await lambda.createMapping(await streamOf(used), `${name}-relay`, {
      BatchSize: 100,
      StartingPosition: 'TRIM_HORIZON',
      // Only writes that announce something ring.
      FilterCriteria: {
        Filters: [
          {
            Pattern: JSON.stringify({
              dynamodb: { NewImage: { news: { N: [{ exists: true }] } } },
            }),
          },
        ],
      },
    }),
  ];
  return {
    world: onAws(used),
    events: events.url,
    sweep: () => lambda.invoke(`${name}-sweep`, {}),
    async [Symbol.asyncDispose]() {
      for (const id of mappings) await lambda.deleteMapping(id);
      for (const entry of entries) await lambda.deleteFunction(`${name}-${entry}`);
    },
  };
}

const entries = ['worker', 'relay', 'sweep', 'catalogue-consumer'] as const;

async function deploy(
  name: string,
  { tables, bucket = '', targets }: AwsSettings,
  datasets: readonly string[],
): Promise<void> {
  const files = new Map(await bundled(entries));
  for (const dataset of datasets)
    files.set(`datasets/${dataset}`, readFileSync(`node_modules/vega-datasets/data/${dataset}`));
  const zip = zipped(files);
  const environment = {
    LANEKEEPER_TABLES: JSON.stringify(tables),
    LANEKEEPER_BUCKET: bucket,
    LANEKEEPER_TARGETS: JSON.stringify(targets),
    // Functions run in the folder of their package; where the endpoint is, the emulator tells them.
    DATASETS_FOLDER: 'datasets',
  };
  for (const entry of entries)
    await lambda.createFunction({ name: `${name}-${entry}`, entry, zip, environment });
}

/** A FIFO topic that delivers to these queues, the event itself as body. */
async function aTopic(Name: string, queues: readonly string[]): Promise<string> {
  const sns = new SNSClient({});
  const { TopicArn = '' } = await sns.send(
    new CreateTopicCommand({ Name, Attributes: { FifoTopic: 'true' } }),
  );
  for (const Endpoint of queues)
    await sns.send(
      new SubscribeCommand({
        TopicArn,
        Protocol: 'sqs',
        Endpoint,
        Attributes: { RawMessageDelivery: 'true' },
      }),
    );
  return TopicArn;
}

async function aQueue(QueueName: string): Promise<{ url: string; arn: string }> {
  const sqs = new SQSClient({});
  const { QueueUrl: url = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName,
      Attributes: {
        FifoQueue: 'true',
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
        VisibilityTimeout: '180',
      },
    }),
  );
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: Attributes?.QueueArn ?? '' };
}

async function streamOf({ tables }: AwsSettings): Promise<string> {
  const { Table } = await new DynamoDBClient({}).send(
    new DescribeTableCommand({ TableName: tables?.['jobs'] }),
  );
  return Table?.LatestStreamArn ?? '';
}
