import type { Finding } from './finding.ts';

/** What a look brought: what is wrong, and what was looked at. */
export interface Examination {
  readonly findings: readonly Finding[];
  /** One line each, for people. */
  readonly looked: readonly string[];
}

/** Several looks as one. */
export const joined = (all: readonly Examination[]): Examination => ({
  findings: all.flatMap(({ findings }) => findings),
  looked: all.flatMap(({ looked }) => looked),
});

/** What a line is called: alarms ring for findings, and no warning rings, since it may be meant or pass by itself. */
const kinds = { error: 'doctor-finding', warning: 'doctor-warning' } as const;

/** An examination as JSON lines: `doctor-finding` for an error, `doctor-warning` for a warning, `doctor-looked` with the counts at last. */
export const jsonLines = ({ findings, looked }: Examination): readonly string[] =>
  [
    ...findings.map((finding) => ({ kind: kinds[finding.level], ...finding })),
    {
      kind: 'doctor-looked',
      errors: countOf('error', findings),
      warnings: countOf('warning', findings),
      looked,
    },
  ].map((line) => JSON.stringify(line));

/** How many findings are of a level. */
export const countOf = (level: Finding['level'], findings: readonly Finding[]): number =>
  findings.filter((finding) => finding.level === level).length;
