import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type Failure, isFailure, permanent } from '../kernel/failure.ts';
import { parsedJson } from '../kernel/parsed-json.ts';
import type { ExaminedSettings } from './aws-settings.ts';
import { clientSettings } from './client-settings.ts';
import { lookFailure } from './look-failure.ts';
import { TellingHandler } from './telling-handler.ts';

/** What a stack says of itself in the output that `lanekeeper/infra` gives it. */
type Told = Required<Pick<ExaminedSettings, 'tables' | 'bucket' | 'targets' | 'mappings'>>;

/**
 * The real names of a stack's resources, as the stack tells them. It needs `cloudformation:DescribeStacks`.
 *
 * @throws Failure for a stack that isn't there, tells nothing, or has two of what tells
 */
export async function stackSettings(
  name: string,
  where: Pick<ExaminedSettings, 'endpoint' | 'region'>,
): Promise<Told> {
  const requestHandler = new TellingHandler();
  const client = new CloudFormationClient(clientSettings(where, requestHandler));
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return toldBy(name, Stacks[0]?.Outputs ?? []);
  } catch (thrown) {
    throw stackFailure(name, thrown, await client.config.region().catch(() => 'no region'));
  } finally {
    requestHandler.destroy();
  }
}

function stackFailure(name: string, thrown: unknown, region: string): Failure {
  if (isFailure(thrown)) return thrown;
  if (thrown instanceof Error && /does not exist/.test(thrown.message))
    return permanent(
      'stack-missing',
      `there is no stack "${name}" in ${region}: deploy it, or name another stack or region`,
    );
  const resource = { what: 'stack', real: name, ours: [] } as const;
  return lookFailure(thrown, { resource, permission: 'cloudformation:DescribeStacks', region });
}

/** An output as CloudFormation describes it. */
interface Output {
  readonly OutputKey?: string | undefined;
  readonly OutputValue?: string | undefined;
}

/** What the one output says in which `lanekeeper/infra` names its resources. */
export function toldBy(stack: string, outputs: readonly Output[]): Told {
  const told = outputs
    .filter(({ OutputKey = '' }) => OutputKey.includes('Resources'))
    .map(({ OutputValue = '' }) => parsedJson(OutputValue))
    .filter(isTold);
  const [one, two] = told;
  if (two !== undefined)
    throw permanent(
      'stack-ambiguous',
      `the stack "${stack}" has ${told.length} Lanekeepers: give each a stack of its own, or set the variables LANEKEEPER_… for one of them`,
    );
  if (one !== undefined) return one;
  throw permanent(
    'stack-silent',
    `the stack "${stack}" has no output that names its resources: deploy it with Lanekeeper of lanekeeper/infra, or set the variables LANEKEEPER_…`,
  );
}

const isTold = (value: unknown): value is Told =>
  typeof value === 'object' &&
  value !== null &&
  'tables' in value &&
  'bucket' in value &&
  'targets' in value &&
  'mappings' in value;
