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

/** An examination as JSON lines: `doctor-finding` for each finding, and `doctor-looked` with the counts at last. */
export const jsonLines = ({ findings, looked }: Examination): readonly string[] =>
  [
    ...findings.map((finding) => ({ kind: 'doctor-finding', ...finding })),
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
