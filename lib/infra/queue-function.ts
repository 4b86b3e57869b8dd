import { aws_lambda as lambda, Stack, type aws_sqs as sqs } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { environment, targets } from '../kernel/settings.ts';
import { milliseconds } from '../kernel/time.ts';
import { allow } from './grants.ts';
import { nodeFunction, timeoutOf } from './node-function.ts';
import { type Asked, type Numbers, numbers } from './numbers.ts';
import type { SharedProps, WorkerProps } from './props.ts';
import { QueuePair } from './queue-pair.ts';

/** A function behind a queue, and what its numbers are computed from. */
export interface QueueFunctionProps extends WorkerProps, SharedProps {
  readonly asks: Pick<Asked, 'name' | 'counts' | 'attempt' | 'maxReceiveCount'>;
}

/** A FIFO queue with its dead-letter queue, a function, and the mapping between them. */
export class QueueFunction extends Construct {
  readonly queue: sqs.Queue;
  readonly deadLetters: sqs.Queue;
  readonly function: lambda.Function;
  readonly mapping: lambda.EventSourceMapping;
  readonly numbers: Numbers;

  constructor(scope: Construct, id: string, props: QueueFunctionProps) {
    super(scope, id);
    const { encryptionKey, batchSize, maxConcurrency, reservedConcurrency } = props;
    this.numbers = numbers({
      ...props.asks,
      timeout: milliseconds(timeoutOf(props).toMilliseconds()),
      ...(batchSize === undefined ? {} : { batchSize }),
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrency }),
    });
    const pair = new QueuePair(this, 'Messages', { numbers: this.numbers, encryptionKey });
    this.queue = pair.queue;
    this.deadLetters = pair.deadLetters;
    this.function = nodeFunction(this, 'Function', {
      ...props,
      environment: {
        ...props.environment,
        [environment.targets]: Stack.of(this).toJsonString({
          [targets.deadLetters]: this.deadLetters.queueUrl,
        }),
      },
    });
    this.mapping = this.#map(maxConcurrency);
    // Hiding a message looks its queue up by the ARN that the event names.
    allow(
      this.function,
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'].concat([
        'sqs:ChangeMessageVisibility',
        'sqs:GetQueueUrl',
      ]),
      [this.queue.queueArn],
    );
    allow(this.function, ['sqs:SendMessage'], [this.deadLetters.queueArn]);
    encryptionKey?.grantEncryptDecrypt(this.function);
  }

  /** No batching window: Lambda knows none on a FIFO queue. */
  #map(maxConcurrency: number | undefined): lambda.EventSourceMapping {
    return new lambda.EventSourceMapping(this, 'Mapping', {
      target: this.function,
      eventSourceArn: this.queue.queueArn,
      batchSize: this.numbers.batchSize,
      reportBatchItemFailures: true,
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    });
  }
}
