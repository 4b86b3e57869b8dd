import { countOf, type Examination, jsonLines } from '../aws/examination.ts';
import { examine } from '../aws/examine.ts';
import type { Command } from './command.ts';
import { endpointOf } from './endpoint-of.ts';
import { parsed } from './parsed.ts';
import type { Shell } from './shell.ts';
import { checkNamed, namesOf } from './stack-names.ts';
import { doctorUsage } from './usage.ts';

/** Looks whether a stack is well; not done where it isn't. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'looks whether a stack is well, and changes nothing',
  usage: doctorUsage,
  async run(shell) {
    const { stack, json, ...where } = optionsOf(shell);
    const settings = stack === undefined ? where : { ...where, ...(await namesOf(stack, where)) };
    const examination = await examine({ ...settings, dryCalls: true });
    const lines = json ? jsonLines(examination) : printed(examination);
    for (const line of lines) shell.print(line);
    return countOf('error', examination.findings) === 0 ? 'done' : 'not-done';
  },
};

const flags = {
  stack: { type: 'string' },
  endpoint: { type: 'string' },
  region: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

function optionsOf(shell: Shell) {
  const { stack, endpoint, region, json } = parsed(shell, flags).values;
  if (stack === undefined) checkNamed(shell.env);
  return {
    stack,
    json,
    ...(endpoint === undefined ? {} : { endpoint: endpointOf(endpoint) }),
    ...(region === undefined ? {} : { region }),
  };
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
