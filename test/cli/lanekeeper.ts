import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = process.cwd();

/** How the command ended, and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in a folder; `at` is called with what it printed so far, and may end it. */
export function lanekeeper(
  folder: string,
  args: readonly string[],
  settings: {
    /** Undefined takes a variable away. */
    readonly env?: Readonly<Record<string, string | undefined>>;
    at?(out: string, end: () => void): void;
  } = {},
): Promise<Ran> {
  const { AWS_ENDPOINT_URL: _, ...plain } = process.env;
  const child = spawn(
    process.execPath,
    ['--conditions=source', join(root, 'lib/cli/main.ts'), ...args],
    {
      cwd: folder,
      env: { ...plain, ...settings.env },
    },
  );
  let out = '';
  let err = '';
  let isEnded = false;
  const end = (): void => {
    if (!isEnded) child.kill('SIGINT');
    isEnded = true;
  };
  child.stdout.on('data', (text: Buffer) => {
    out += text.toString();
    settings.at?.(out, end);
  });
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
  });
  // Not its exit, behind which some of what it printed may still come.
  return new Promise((ended) => child.on('close', (code) => ended({ code, out, err })));
}
