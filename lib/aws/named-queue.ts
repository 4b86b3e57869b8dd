import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { permanent } from '../kernel/failure.ts';
import { environment, targets } from '../kernel/settings.ts';
import { targetsOf, type Variables } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { deadLettersIn } from './dead-letters-in.ts';
import { placeOf } from './place.ts';
import { queueUrls } from './queue-urls.ts';
import { nameOf } from './trouble.ts';

/** A queue by both of its names, and the dead-letter queue behind it. */
export interface NamedQueue {
  readonly url: string;
  readonly arn: string;
  /** The ARN that its redrive policy names, if it has one. */
  readonly deadLetters?: string;
}

/**
 * The queue that a kind of job, a target, a queue's name, URL or ARN means.
 *
 * @throws Failure `queue-unknown`
 */
export async function namedQueue(
  sqs: SQSClient,
  named: string,
  variables: Variables,
): Promise<NamedQueue> {
  const url = await urlOf(sqs, named, variables);
  const AttributeNames = ['QueueArn', 'RedrivePolicy'] as const;
  const { Attributes = {} } = await sqs
    .send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...AttributeNames] }))
    .catch(unknown(named));
  const deadLetters = deadLettersIn(Attributes['RedrivePolicy']);
  const arn = Attributes['QueueArn'] ?? '';
  return { url, arn, ...(deadLetters === undefined ? {} : { deadLetters }) };
}

/** The queue that is named so. @throws Failure `queue-unknown` */
export const queueCalled = (named: string, variables: Variables): Promise<NamedQueue> =>
  namedQueue(new SQSClient(clientSettings({})), named, variables);

async function urlOf(sqs: SQSClient, named: string, variables: Variables): Promise<string> {
  const known = knownAs(named, variables);
  if (known !== undefined || /^(https?|arn):/.test(named)) {
    const place = placeOf(named, known ?? named);
    if (place.kind === 'queue') return place.url;
    if (place.kind === 'queue-by-arn') return queueUrls(sqs)(place.arn);
    throw permanent(
      'queue-unknown',
      `"${named}" is a ${place.kind}, which Lambda reads no messages from`,
    );
  }
  const found = await sqs.send(new GetQueueUrlCommand({ QueueName: named })).catch(unknown(named));
  return found.QueueUrl ?? '';
}

/** What the targets say of a kind or a target; they needn't be set where a queue is named by itself. */
function knownAs(named: string, variables: Variables): string | undefined {
  if (variables[environment.targets] === undefined) return undefined;
  const all = targetsOf({}, variables);
  return all[targets.commands(named)] ?? all[named];
}

const unknown =
  (named: string) =>
  (thrown: unknown): never => {
    if (!/NonExistentQueue|QueueDoesNotExist/.test(nameOf(thrown))) throw thrown;
    throw permanent(
      'queue-unknown',
      `there is no queue "${named}", and no kind or target of that name: name a kind whose queue ${environment.targets} has, or a queue by its name, URL or ARN`,
      { cause: thrown },
    );
  };
