import { parseArgs } from 'node:util';
import type { ExaminedSettings } from '../aws/aws-settings.ts';
import { countOf, type Examination, jsonLines } from '../aws/examination.ts';
import { examine } from '../aws/examine.ts';
import { loaded } from '../aws/loaded.ts';
import { permanent } from '../kernel/failure.ts';
import { environment } from '../kernel/settings.ts';
import type { Shell } from './dev-command.ts';
import { endpointOf } from './endpoint-of.ts';

/** Examines once, and answers whether no error was found. @throws Failure for a setting that can't be right, or a stack that tells nothing */
export async function doctorCommand(
  shell: Pick<Shell, 'args' | 'env' | 'print'>,
): Promise<boolean> {
  const { stack, json, ...where } = optionsOf(shell);
  const settings = stack === undefined ? where : { ...where, ...(await namesOf(stack, where)) };
  const examination = await examine({ ...settings, dryCalls: true });
  const lines = json ? jsonLines(examination) : printed(examination);
  for (const line of lines) shell.print(line);
  return countOf('error', examination.findings) === 0;
}

const flags = {
  stack: { type: 'string' },
  endpoint: { type: 'string' },
  region: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

function optionsOf({ args, env }: Pick<Shell, 'args' | 'env'>) {
  const { stack, endpoint, region, json } = parseArgs({ args: [...args], options: flags }).values;
  const names = [environment.tables, environment.bucket, environment.targets];
  if (stack === undefined && names.every((name) => env[name] === undefined))
    throw permanent(
      'resources-unnamed',
      `nothing is named that could be looked at: name a stack by --stack, or set ${names.join(', ')}, as .lanekeeper/dev.env does`,
    );
  return {
    stack,
    json,
    ...(endpoint === undefined ? {} : { endpoint: endpointOf(endpoint) }),
    ...(region === undefined ? {} : { region }),
  };
}

async function namesOf(
  stack: string,
  where: Pick<ExaminedSettings, 'endpoint' | 'region'>,
): Promise<ExaminedSettings> {
  const { stackSettings } = await loaded(
    '@aws-sdk/client-cloudformation',
    () => import('../aws/stack-settings.ts'),
  );
  return stackSettings(stack, where);
}

/** Findings first, then what was looked at, then the counts. */
function printed({ findings, looked }: Examination): readonly string[] {
  const [errors, warnings] = [countOf('error', findings), countOf('warning', findings)];
  return [
    ...findings.map(({ level, code, sentence }) => `${level.padEnd(7)}  ${code}: ${sentence}`),
    ...looked.map((line) => `looked   ${line}`),
    `errors: ${errors}, warnings: ${warnings}`,
  ];
}
