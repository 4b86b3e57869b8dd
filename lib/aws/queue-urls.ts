import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Queue URLs by ARN, each looked up once; a look-up that fails is made again. */
export function queueUrls(client: SQSClient): (arn: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  const lookedUp = async (arn: string): Promise<string> => {
    const [, , , , account, name] = arn.split(':');
    const { QueueUrl = '' } = await client.send(
      new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }),
    );
    return QueueUrl;
  };
  return (arn) => {
    const url = known.get(arn) ?? lookedUp(arn);
    known.set(arn, url);
    url.catch(() => known.delete(arn));
    return url;
  };
}
