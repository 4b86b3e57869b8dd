import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of code below a folder, each with what changes when it is written. */
export type Code = ReadonlyMap<string, string>;

/** Folders that hold no code of the project. */
const passedOver: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'reports']);

const code = /\.(ts|mts|cts|js|mjs|cjs|json)$/;

/** Whether a file of this name counts as code. */
export const isCode = (name: string): boolean => code.test(name) && !name.startsWith('.');

/** Whether a folder of this name may hold code. */
const mayHoldCode = (name: string): boolean => !passedOver.has(name) && !name.startsWith('.');

/** The code below a folder as it is now; `enter` is told of each folder before it is read. */
export function codeIn(folder: string, enter: (folder: string) => void = () => {}): Code {
  const found = new Map<string, string>();
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    enter(next);
    const entries = entriesOf(next);
    const below = entries.filter((entry) => entry.isDirectory() && mayHoldCode(entry.name));
    const files = entries.filter((entry) => !entry.isDirectory() && isCode(entry.name));
    waiting.push(...below.map(({ name }) => join(next, name)));
    for (const path of files.map(({ name }) => join(next, name))) found.set(path, stateOf(path));
  }
  return found;
}

/** Whether two looks saw the same code. */
export const isSameCode = (one: Code, other: Code): boolean =>
  one.size === other.size && [...one].every(([path, state]) => other.get(path) === state);

/** Folders may go while they are looked at. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** So may files. */
function stateOf(path: string): string {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${state?.mtimeNs} ${state?.size} ${state?.ino}`;
}
