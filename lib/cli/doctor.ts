import { countOf, type Examination, jsonLines } from '../aws/examination.ts';
import { examine } from '../aws/examine.ts';
import type { Command } from './command.ts';
import { deskFlags, placedAt } from './desk.ts';
import { parsed } from './parsed.ts';
import { doctorUsage } from './usage.ts';

/** Looks whether a stack is well; not done where it isn't. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'looks whether a stack is well, and changes nothing',
  usage: doctorUsage,
  async run(shell) {
    const { json, ...placed } = parsed(shell, deskFlags).values;
    const names = await placedAt(shell.env, placed);
    const { endpoint } = placed;
    const where = endpoint === undefined ? {} : { endpoint };
    const examination = await examine({ ...where, ...names, dryCalls: true });
    const lines = json ? jsonLines(examination) : printed(examination);
    for (const line of lines) shell.print(line);
    return countOf('error', examination.findings) === 0 ? 'done' : 'not-done';
  },
};

/** Findings first, then what was looked at, then the counts. */
function printed({ findings, looked }: Examination): readonly string[] {
  const [errors, warnings] = [countOf('error', findings), countOf('warning', findings)];
  return [
    ...findings.map(({ level, code, sentence }) => `${level.padEnd(7)}  ${code}: ${sentence}`),
    ...looked.map((line) => `looked   ${line}`),
    `errors: ${errors}, warnings: ${warnings}`,
  ];
}
