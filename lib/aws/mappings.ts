import type { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Variables } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { loaded } from './loaded.ts';
import { namedQueue } from './named-queue.ts';

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
    const { url, arn } = await namedQueue(this.#sqs, named, this.#variables);
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
