import {
  Stack,
  type aws_s3 as s3,
  type aws_sns as sns,
  aws_sns_subscriptions as subscriptions,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environment, tables as names } from '../kernel/settings.ts';
import { everyUse, grantCare, grantTable } from './grants.ts';
import type { ConsumerProps, SharedProps } from './props.ts';
import { QueueFunction } from './queue-function.ts';
import type { Tables } from './tables.ts';

/** What a consumer is part of. */
interface Around {
  readonly tables: Tables;
  readonly bucket: s3.Bucket;
  readonly topic: sns.Topic;
}

/** A consumer's queue behind the topic, and its function; raw, so that a message's body is the event itself. */
export function consumer(
  scope: Construct,
  name: string,
  props: SharedProps & ConsumerProps & { readonly lanekeeper: Around },
): QueueFunction {
  const { tables: own = {}, fillsGaps = false, lanekeeper } = props;
  const { tables, bucket, topic } = lanekeeper;
  const made = new QueueFunction(scope, `Consumer-${name}`, {
    ...props,
    environment: {
      ...props.environment,
      [environment.tables]: Stack.of(scope).toJsonString({
        [names.care]: tables.care.tableName,
        ...(fillsGaps ? { [names.jobs]: tables.jobs.tableName } : {}),
        ...Object.fromEntries(Object.entries(own).map(([called, it]) => [called, it.tableName])),
      }),
      [environment.bucket]: bucket.bucketName,
    },
    asks: { name: `consumer "${name}"`, counts: true },
  });
  topic.addSubscription(
    new subscriptions.SqsSubscription(made.queue, { rawMessageDelivery: true }),
  );
  grantCare(made.function, { care: tables.care, bucket, queue: made.queue });
  if (fillsGaps) grantTable(made.function, tables.jobs, ['read']);
  for (const table of Object.values(own)) grantTable(made.function, table, [...everyUse, 'query']);
  return made;
}
