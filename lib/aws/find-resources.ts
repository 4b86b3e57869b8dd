import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { permanent } from '../kernel/failure.ts';
import { environment } from '../kernel/settings.ts';
import { bucketOf, tablesOf, targetsOf, type Variables } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { deadLettersIn } from './dead-letters-in.ts';
import type { QueueAddress, Resources } from './make-resources.ts';
import { placesOf } from './place.ts';
import { queueUrls } from './queue-urls.ts';

/**
 * Resources that the environment names and somebody else made; queues are looked up among the targets, by their names
 * in the plan without `.fifo`.
 *
 * @throws Failure `setting-missing`, `setting-malformed` or `target-unknown`, with the variable's or target's name
 */
export async function findResources(
  endpoint: string,
  variables: Variables,
  queues: readonly string[],
): Promise<Resources> {
  const targets = targetsOf({}, variables);
  const sqs = new SQSClient(clientSettings({ endpoint }));
  const found: Record<string, QueueAddress> = {};
  for (const name of queues) found[name] = await addressOf(sqs, targets, name);
  sqs.destroy();
  return {
    tables: tablesOf({}, variables),
    bucket: bucketOf({}, variables),
    targets,
    queues: found,
  };
}

async function addressOf(
  sqs: SQSClient,
  targets: Readonly<Record<string, string>>,
  name: string,
): Promise<QueueAddress> {
  const target = name.replace(/\.fifo$/, '');
  const place = placesOf(targets).get(target);
  const url =
    place?.kind === 'queue-by-arn'
      ? await queueUrls(sqs)(place.arn)
      : place?.kind === 'queue' && place.url;
  if (!url)
    throw permanent(
      'target-unknown',
      `${environment.targets} names no queue "${target}", from which its function reads`,
      { facts: { target } },
    );
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn', 'RedrivePolicy'] }),
  );
  const deadLetters = deadLettersIn(Attributes['RedrivePolicy']);
  return { url, arn: Attributes['QueueArn'] ?? '', ...(deadLetters ? { deadLetters } : {}) };
}
