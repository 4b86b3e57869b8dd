import type { LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { permanent } from '../kernel/failure.ts';
import { targets } from '../kernel/settings.ts';
import { targetsOf, type Variables } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { loaded } from './loaded.ts';
import { placeOf } from './place.ts';
import { queueUrls } from './queue-urls.ts';
import { nameOf } from './trouble.ts';

/** What makes Lambda read a queue. */
export interface Mapping {
  readonly id: string;
  readonly functionArn: string;
  /** As Lambda says it: Enabled, Disabled, or on its way there. */
  readonly state: string;
}

/** A queue, and what reads it. */
export interface ReadQueue {
  readonly url: string;
  readonly arn: string;
  readonly mappings: readonly Mapping[];
}

/** Event source mappings of queues, over clients of its own. */
export class Mappings {
  readonly #variables: Variables;
  readonly #sqs = new SQSClient(clientSettings({}));
  #lambda: Promise<LambdaClient> | undefined;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /**
   * The queue that a kind of job, a target, a queue's name, URL or ARN means, and what reads it.
   *
   * @throws Failure `queue-unknown`
   */
  async of(named: string): Promise<ReadQueue> {
    const { ListEventSourceMappingsCommand } = await lambdaSdk();
    const url = await this.#urlOf(named);
    const { Attributes = {} } = await this.#sqs
      .send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }))
      .catch(unknown(named));
    const arn = Attributes['QueueArn'] ?? '';
    const { EventSourceMappings = [] } = await (await this.#client()).send(
      new ListEventSourceMappingsCommand({ EventSourceArn: arn }),
    );
    return { url, arn, mappings: EventSourceMappings.map(mappingOf) };
  }

  /** Asks Lambda to read the queue again, or no more; it takes a while until it does. */
  async set({ id }: Mapping, isEnabled: boolean): Promise<void> {
    const { UpdateEventSourceMappingCommand } = await lambdaSdk();
    const client = await this.#client();
    await client.send(new UpdateEventSourceMappingCommand({ UUID: id, Enabled: isEnabled }));
  }

  /** A mapping as it is now. */
  async now({ id }: Mapping): Promise<Mapping> {
    const { GetEventSourceMappingCommand } = await lambdaSdk();
    const client = await this.#client();
    return mappingOf(await client.send(new GetEventSourceMappingCommand({ UUID: id })));
  }

  #client(): Promise<LambdaClient> {
    this.#lambda ??= lambdaSdk().then(({ LambdaClient }) => new LambdaClient(clientSettings({})));
    return this.#lambda;
  }

  async #urlOf(named: string): Promise<string> {
    const known = this.#known(named);
    if (known !== undefined || /^(https?|arn):/.test(named)) {
      const place = placeOf(named, known ?? named);
      if (place.kind === 'queue') return place.url;
      if (place.kind === 'queue-by-arn') return queueUrls(this.#sqs)(place.arn);
      throw permanent(
        'queue-unknown',
        `"${named}" is a ${place.kind}, which Lambda reads no messages from`,
      );
    }
    const found = await this.#sqs
      .send(new GetQueueUrlCommand({ QueueName: named }))
      .catch(unknown(named));
    return found.QueueUrl ?? '';
  }

  /** What the targets say of a kind or a target; they needn't be set where a queue is named by itself. */
  #known(named: string): string | undefined {
    if (this.#variables['LANEKEEPER_TARGETS'] === undefined) return undefined;
    const all = targetsOf({}, this.#variables);
    return all[targets.commands(named)] ?? all[named];
  }
}

const lambdaSdk = () => loaded('@aws-sdk/client-lambda', () => import('@aws-sdk/client-lambda'));

const mappingOf = (one: {
  readonly UUID?: string | undefined;
  readonly FunctionArn?: string | undefined;
  readonly State?: string | undefined;
}): Mapping => ({
  id: one.UUID ?? '',
  functionArn: one.FunctionArn ?? '',
  state: one.State ?? '',
});

const unknown =
  (named: string) =>
  (thrown: unknown): never => {
    if (!/NonExistentQueue|QueueDoesNotExist/.test(nameOf(thrown))) throw thrown;
    throw permanent(
      'queue-unknown',
      `there is no queue "${named}", and no kind or target of that name: name a kind whose queue LANEKEEPER_TARGETS has, or a queue by its name, URL or ARN`,
      { cause: thrown },
    );
  };
