import type { CheckedSettings } from '../aws/aws-settings.ts';
import { checkRegion } from '../aws/check-region.ts';
import { onAws } from '../aws/on-aws.ts';
import { environment } from '../kernel/settings.ts';
import type { World } from '../ports/world.ts';
import { endpointOf } from './endpoint-of.ts';
import type { Shell } from './shell.ts';
import { checkNamed, namesOf } from './stack-names.ts';
import { emulated } from './usage.ts';

/** The flags of every command that looks at what is deployed. */
export const deskFlags = {
  stack: { type: 'string' },
  endpoint: { type: 'string' },
  region: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** What those flags mean, for a command's usage. */
export const deskUsage = `  --stack NAME    a stack of Lanekeeper (default: what LANEKEEPER_TABLES, _BUCKET and _TARGETS name)
  --endpoint URL  another place than AWS, such as an emulator (default: AWS_ENDPOINT_URL)
  --region NAME   where it is (default: AWS_REGION)
  --json          one JSON object per line`;

/** The flag of every command that changes something. */
export const changeFlags = { 'dry-run': { type: 'boolean', default: false } } as const;

export const changeUsage = '  --dry-run       say what it would do, and change nothing';

/** Where an operator works: at what is deployed, with somewhere to write. */
export interface Desk extends Pick<Shell, 'print' | 'note' | 'env'> {
  readonly world: World;
  readonly json: boolean;
}

/** The place that the flags name. */
interface Placed {
  readonly stack?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/**
 * Takes the place that the flags name, beside what the environment says.
 *
 * @throws Failure `setting-malformed`, `resources-unnamed` or `region-missing`, and for a stack that isn't there or tells nothing
 */
export async function deskAt(
  { env, print, note }: Shell,
  { json, ...placed }: Placed & { readonly json: boolean },
): Promise<Desk> {
  const names = await placedAt(env, placed);
  if (names !== undefined) takeNames(env, names);
  return { env, print, note, json, world: onAws({ observe: () => {} }) };
}

/** Takes the place, with what stands in for a region and credentials off AWS; answers the names that a stack tells, if one is named. */
export async function placedAt(
  env: Shell['env'],
  { stack, endpoint, region }: Placed,
): Promise<Awaited<ReturnType<typeof namesOf>> | undefined> {
  if (endpoint !== undefined) env['AWS_ENDPOINT_URL'] = endpointOf(endpoint);
  if (region !== undefined) env['AWS_REGION'] = region;
  if (env['AWS_ENDPOINT_URL'] !== undefined) emulate(env);
  if (stack === undefined) checkNamed(env);
  await checkRegion();
  return stack === undefined
    ? undefined
    : namesOf(stack, endpoint === undefined ? {} : { endpoint });
}

function takeNames(env: Shell['env'], { tables, bucket, targets }: CheckedSettings): void {
  env[environment.tables] = JSON.stringify(tables);
  env[environment.bucket] = bucket;
  env[environment.targets] = JSON.stringify(targets);
}

/** What stands in for a region and credentials where nobody asks for real ones. */
export function emulate(env: Shell['env']): void {
  env['AWS_REGION'] ??= env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  if (env['AWS_PROFILE'] !== undefined) return;
  for (const [name, value] of Object.entries(emulated)) env[name] ??= value;
}
