import type { ExaminedSettings } from '../aws/aws-settings.ts';
import { loaded } from '../aws/loaded.ts';
import { permanent } from '../kernel/failure.ts';
import { environment } from '../kernel/settings.ts';
import type { Shell } from './shell.ts';

/** The names of a stack's resources. @throws Failure for a stack that isn't there or tells nothing */
export async function namesOf(
  stack: string,
  where: Pick<ExaminedSettings, 'endpoint' | 'region'>,
): ReturnType<typeof import('../aws/stack-settings.ts')['stackSettings']> {
  const { stackSettings } = await loaded(
    '@aws-sdk/client-cloudformation',
    () => import('../aws/stack-settings.ts'),
  );
  return stackSettings(stack, where);
}

/** @throws Failure `resources-unnamed` where the environment names nothing at all */
export function checkNamed(env: Shell['env']): void {
  const names = [environment.tables, environment.bucket, environment.targets];
  if (names.some((name) => env[name] !== undefined)) return;
  throw permanent(
    'resources-unnamed',
    `nothing is named that could be looked at: name a stack by --stack, or set ${names.join(', ')}, as .lanekeeper/dev.env does`,
  );
}
