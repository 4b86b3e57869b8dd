import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { stackName } from './stack.ts';

const ours = (name = ''): boolean => name.includes(stackName);

describe('the sample once it was destroyed', () => {
  it('has left no stack, no function, no mapping and no queue', async () => {
    const lambda = new LambdaClient({});
    const stack = new CloudFormationClient({}).send(
      new DescribeStacksCommand({ StackName: stackName }),
    );
    const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    const { QueueUrls = [] } = await new SQSClient({}).send(new ListQueuesCommand({}));

    await expect(stack).rejects.toThrow(/does not exist/);
    expect(Functions.filter(({ FunctionName }) => ours(FunctionName))).toEqual([]);
    expect(EventSourceMappings.filter(({ FunctionArn }) => ours(FunctionArn))).toEqual([]);
    expect(QueueUrls.filter(ours)).toEqual([]);
  });
});
