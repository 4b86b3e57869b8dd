import { Duration, type aws_kms as kms, aws_sqs as sqs } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { FunctionBounds } from '../kernel/bounds.ts';

/** A queue's numbers, and the key that encrypts it. */
export interface QueuePairProps {
  readonly numbers: FunctionBounds;
  readonly encryptionKey: kms.IKey | undefined;
}

/** A FIFO queue in high-throughput mode, with its FIFO dead-letter queue. */
export class QueuePair extends Construct {
  readonly queue: sqs.Queue;
  readonly deadLetters: sqs.Queue;

  constructor(scope: Construct, id: string, { numbers, encryptionKey }: QueuePairProps) {
    super(scope, id);
    const base = {
      fifo: true,
      deduplicationScope: sqs.DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: sqs.FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      retentionPeriod: Duration.millis(numbers.retention),
      enforceSSL: true,
      ...(encryptionKey === undefined
        ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
        : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    };
    this.deadLetters = new sqs.Queue(this, 'DeadLetters', base);
    this.queue = new sqs.Queue(this, 'Queue', {
      ...base,
      visibilityTimeout: Duration.millis(numbers.visibility),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: numbers.maxReceiveCount },
    });
  }
}
