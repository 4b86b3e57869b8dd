import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type EventSourceMappingConfiguration as Found,
  GetEventSourceMappingCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { tables } from '../kernel/settings.ts';
import { mappingsOf, tablesOf, targetsOf } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import type { Examination } from './examination.ts';
import { type Finding, onlyError } from './finding.ts';
import { looked } from './looked.ts';
import { mappingMistakes, readsQueue } from './mapping-mistakes.ts';
import { queueUrls } from './queue-urls.ts';
import type { Resource } from './resource.ts';
import { sourceQueueMistakes } from './source-queue-mistakes.ts';
import type { Standpoint } from './standpoint.ts';
import type { Attributes } from './target-mistakes.ts';
import { unreadMistakes } from './unread-mistakes.ts';

/** What was seen of one mapping; without a source where it couldn't be read. */
interface Seen {
  readonly findings: readonly Finding[];
  readonly source?: string;
}

/** One look at each mapping, at the queue before it and the function behind it. */
export class MappingInspection {
  readonly #at: Standpoint;
  readonly #dynamo: DynamoDBClient;
  readonly #lambda: LambdaClient;
  readonly #sqs: SQSClient;

  constructor(at: Standpoint) {
    this.#at = at;
    const config = clientSettings(at.settings, at.requestHandler);
    this.#dynamo = new DynamoDBClient(config);
    this.#lambda = new LambdaClient(config);
    this.#sqs = new SQSClient(config);
  }

  /** @throws Failure for a setting that is missing or malformed */
  async mappings(): Promise<Examination> {
    const { settings, variables } = this.#at;
    const ids = Object.entries(mappingsOf(settings, variables));
    const targets = targetsOf(settings, variables);
    const stream = await this.#stream();
    const all: Seen[] = [];
    // One after the other: Lambda takes 15 such calls per second ("Lambda quotas", AWS Lambda Developer Guide).
    for (const [name, real] of ids)
      all.push(await this.#mapping({ what: 'mapping', real, ours: [name] }, stream));
    const sources = all.flatMap(({ source }) => source ?? []);
    // Of a mapping that couldn't be read nobody knows what it reads.
    const unread = sources.length < ids.length ? [] : unreadMistakes(targets, sources);
    return {
      findings: [...all.flatMap(({ findings }) => findings), ...unread],
      looked: [`${ids.length} event source mappings, with their queues and functions`],
    };
  }

  async #mapping(mapping: Resource, stream: string | undefined): Promise<Seen> {
    const at = { resource: mapping, permission: 'lambda:GetEventSourceMapping' };
    try {
      const found = await looked(this.#lambda, at, () =>
        this.#lambda.send(new GetEventSourceMappingCommand({ UUID: mapping.real })),
      );
      const queue = readsQueue(found)
        ? await this.#queue(found, mapping.ours).catch(onlyError)
        : [];
      return {
        findings: [...mappingMistakes(found, mapping, stream), ...queue],
        source: found.EventSourceArn ?? '',
      };
    } catch (thrown) {
      return { findings: onlyError(thrown) };
    }
  }

  /** The queue before a mapping, judged by the timeout of the function behind it. */
  async #queue(
    { EventSourceArn = '', FunctionArn = '' }: Found,
    ours: readonly string[],
  ): Promise<readonly Finding[]> {
    const queue = { what: 'queue', real: EventSourceArn, ours } as const;
    const [timeout, attributes] = await Promise.all([
      this.#timeout(FunctionArn, ours),
      this.#attributes(queue),
    ]);
    return sourceQueueMistakes(attributes, queue, timeout);
  }

  #timeout(real: string, ours: readonly string[]): Promise<number> {
    const resource = { what: 'function', real, ours } as const;
    const at = { resource, permission: 'lambda:GetFunctionConfiguration' };
    return looked(this.#lambda, at, async () => {
      const command = new GetFunctionConfigurationCommand({ FunctionName: real });
      const { Timeout = 0 } = await this.#lambda.send(command);
      return Timeout;
    });
  }

  #attributes(resource: Resource): Promise<Attributes> {
    const at = { resource, permission: 'sqs:GetQueueAttributes and sqs:GetQueueUrl' };
    return looked(this.#sqs, at, async () => {
      const QueueUrl = await queueUrls(this.#sqs)(resource.real);
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
      const { Attributes = {} } = await this.#sqs.send(command);
      return Attributes;
    });
  }

  /** The jobs table's stream; what keeps it from being read is told with the table. */
  async #stream(): Promise<string | undefined> {
    const { settings, variables } = this.#at;
    const TableName = tablesOf(settings, variables)[tables.jobs];
    const described = await this.#dynamo
      .send(new DescribeTableCommand({ TableName }))
      .catch(() => undefined);
    return described?.Table?.LatestStreamArn;
  }
}
