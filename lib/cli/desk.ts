import { onAws } from '../aws/on-aws.ts';
import type { World } from '../ports/world.ts';
import { misused } from './command.ts';
import type { Shell } from './shell.ts';
import { emulated } from './usage.ts';

/** The flags of every command that looks at what is deployed. */
export const deskFlags = {
  endpoint: { type: 'string' },
  region: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** What those flags mean, for a command's usage. */
export const deskUsage = `  --endpoint URL  another place than AWS, such as an emulator (default: AWS_ENDPOINT_URL)
  --region NAME   where it is (default: AWS_REGION)
  --json          one JSON object per line

Tables, bucket and targets are those of LANEKEEPER_TABLES, LANEKEEPER_BUCKET and LANEKEEPER_TARGETS.`;

/** The flag of every command that changes something. */
export const changeFlags = { 'dry-run': { type: 'boolean', default: false } } as const;

export const changeUsage = '  --dry-run       say what it would do, and change nothing';

/** Where an operator works: at what is deployed, with somewhere to write. */
export interface Desk extends Pick<Shell, 'print' | 'note' | 'env'> {
  readonly world: World;
  readonly json: boolean;
}

interface Placed {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly json: boolean;
}

/** Takes the place that the flags name, beside what the environment says. @throws Failure `usage-wrong` for an endpoint that is no URL */
export function deskAt({ env, print, note }: Shell, { endpoint, region, json }: Placed): Desk {
  if (endpoint !== undefined) env['AWS_ENDPOINT_URL'] = checkedUrl(endpoint);
  if (region !== undefined) env['AWS_REGION'] = region;
  if (env['AWS_ENDPOINT_URL'] !== undefined) emulate(env);
  return { env, print, note, json, world: onAws({ observe: () => {} }) };
}

/** What stands in for a region and credentials where nobody asks for real ones. */
export function emulate(env: Shell['env']): void {
  env['AWS_REGION'] ??= env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  if (env['AWS_PROFILE'] !== undefined) return;
  for (const [name, value] of Object.entries(emulated)) env[name] ??= value;
}

function checkedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw misused(`--endpoint takes a URL such as http://127.0.0.1:4566, got "${text}"`);
}
