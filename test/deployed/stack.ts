import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';

/** What the sample's stack is called. */
export const stackName = 'lanekeeper-export-local';

/** The real names of a stack's resources, as its output tells them. */
export interface Names {
  readonly tables: Readonly<Record<string, string>>;
  readonly bucket: string;
  readonly targets: Readonly<Record<string, string>>;
}

/** Reads the stack's output. */
export async function namesOfStack(): Promise<Names> {
  const { Stacks = [] } = await new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: stackName }),
  );
  const output = Stacks[0]?.Outputs?.find(({ OutputKey = '' }) => OutputKey.includes('Resources'));
  return JSON.parse(output?.OutputValue ?? '{}') as Names;
}

/** Real names of what the stack has of one type, by logical ids. */
export async function resourcesOf(type: string): Promise<ReadonlyMap<string, string>> {
  const { StackResourceSummaries = [] } = await new CloudFormationClient({}).send(
    new ListStackResourcesCommand({ StackName: stackName }),
  );
  return new Map(
    StackResourceSummaries.filter(({ ResourceType }) => ResourceType === type).map(
      ({ LogicalResourceId = '', PhysicalResourceId = '' }) => [
        LogicalResourceId,
        PhysicalResourceId,
      ],
    ),
  );
}
