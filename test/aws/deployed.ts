import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateEventSourceMappingCommand,
  type CreateEventSourceMappingCommandInput,
  CreateFunctionCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ExaminedSettings } from '../../lib/aws/aws-settings.ts';
import { newsPattern } from '../../lib/kernel/settings.ts';
import { zipped } from '../localstack/zipped.ts';
import { arnOf, freshName } from './queues.ts';
import { type Stand, stand } from './stand.ts';

/** What a test needs of a deployment that is well. */
export interface Deployed extends Stand {
  readonly settings: ExaminedSettings & { readonly mappings: Readonly<Record<string, string>> };
  readonly name: string;
}

const lambda = new LambdaClient({});

/** Tables, a bucket, a queue with its dead letters, a function, and both mappings as infra makes them. */
export async function deployed(): Promise<Deployed> {
  const at = await stand();
  const { settings } = at;
  const name = settings.bucket ?? '';
  const queue = await aCommandQueue();
  await aFunction(name);
  const mappings = {
    'commands-count': await aMapping(name, await arnOf(queue), ofQueue),
    relay: await aMapping(name, await streamOf(settings.tables?.['jobs']), ofStream),
  };
  const targets = { ...settings.targets, 'commands-count': queue };
  return { ...at, name, settings: { ...settings, targets, mappings } };
}

/** A FIFO queue that hides messages for six times 60 seconds, and gives them up. */
export async function aCommandQueue(): Promise<string> {
  const sqs = new SQSClient({});
  const make = async (more: Record<string, string>): Promise<string> => {
    const { QueueUrl = '' } = await sqs.send(
      new CreateQueueCommand({
        QueueName: `${freshName()}.fifo`,
        Attributes: { FifoQueue: 'true', VisibilityTimeout: '360', ...more },
      }),
    );
    return QueueUrl;
  };
  const deadLetterTargetArn = await arnOf(await make({}));
  const policy = { deadLetterTargetArn, maxReceiveCount: 1_000 };
  return make({ RedrivePolicy: JSON.stringify(policy) });
}

/** A function that may run for a minute. */
async function aFunction(FunctionName: string): Promise<void> {
  const code = Buffer.from('export const handler = async () => ({ batchItemFailures: [] });');
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      Runtime: 'nodejs24.x',
      Role: 'arn:aws:iam::000000000000:role/lanekeeper',
      Handler: 'index.handler',
      Code: { ZipFile: zipped(new Map([['index.mjs', code]])) },
      Timeout: 60,
    }),
  );
}

type Mapped = Partial<CreateEventSourceMappingCommandInput>;

/** A mapping's id. */
export async function aMapping(FunctionName: string, source: string, as: Mapped): Promise<string> {
  const { UUID = '' } = await lambda.send(
    new CreateEventSourceMappingCommand({ FunctionName, EventSourceArn: source, ...as }),
  );
  return UUID;
}

export const ofQueue: Mapped = {
  BatchSize: 10,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
};

export const ofStream: Mapped = {
  BatchSize: 100,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  StartingPosition: 'TRIM_HORIZON',
  BisectBatchOnFunctionError: true,
  MaximumRecordAgeInSeconds: 82_800,
  MaximumRetryAttempts: -1,
  ParallelizationFactor: 1,
  DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::given-up' } },
  FilterCriteria: { Filters: [{ Pattern: JSON.stringify(newsPattern) }] },
};

export async function streamOf(TableName: string | undefined): Promise<string> {
  const command = new DescribeTableCommand({ TableName });
  const { Table } = await new DynamoDBClient({}).send(command);
  return Table?.LatestStreamArn ?? '';
}

/** A stack whose outputs say this. */
export async function aStack(outputs: Readonly<Record<string, unknown>>): Promise<string> {
  const StackName = freshName();
  const TemplateBody = JSON.stringify({
    Resources: { Nothing: { Type: 'AWS::SQS::Queue' } },
    Outputs: Object.fromEntries(
      Object.entries(outputs).map(([key, value]) => [key, { Value: JSON.stringify(value) }]),
    ),
  });
  const cloud = new CloudFormationClient({});
  await cloud.send(new CreateStackCommand({ StackName, TemplateBody }));
  return StackName;
}
