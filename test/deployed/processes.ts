import { readdirSync, readFileSync } from 'node:fs';

/** A function's process, which the emulator started. */
export interface Process {
  readonly pid: number;
  readonly name: string;
}

/** The processes of functions that have this text in their environment, such as the bucket of one stack. */
export const functionsWith = (text: string): readonly Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environ = read(`/proc/${pid}/environ`);
      const isFunction = read(`/proc/${pid}/cmdline`).includes('localexec/bootstrap.ts');
      const name = /AWS_LAMBDA_FUNCTION_NAME=([^\0]*)/.exec(environ)?.[1];
      return isFunction && environ.includes(text) && name !== undefined
        ? [{ pid: Number(pid), name }]
        : [];
    });

/** A process may end while it is read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
