import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { python } from './python.ts';

/** What a Python environment is made of, each package with its hashes. */
export interface Pinned {
  readonly name: string;
  /** Its Python, such as `3.13`. @default what `python3` is */
  readonly python?: string;
  /** The file of its requirements. */
  readonly requirements: string;
  /** Packages that have no wheel, and the file of what builds them. */
  readonly sources?: { readonly packages: readonly string[]; readonly requirements: string };
}

/**
 * The Python of an environment in `.venv`, made once for each state of its requirements: nothing gets in without its hash.
 *
 * @throws Error when there is no such Python, or a package can't be had
 */
export function venv(pinned: Pinned): string {
  const made = resolve('.venv', `${pinned.name}-${fingerprint(pinned)}`);
  if (!existsSync(made)) {
    const fresh = `${made}.${process.pid}`;
    try {
      install(fresh, pinned);
      // Whoever made the same one meanwhile was as good.
      if (!existsSync(made)) renameSync(fresh, made);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return join(made, 'bin', 'python');
}

function fingerprint({ requirements, sources }: Pinned): string {
  const hash = createHash('sha256').update(readFileSync(requirements));
  if (sources !== undefined) hash.update(readFileSync(sources.requirements));
  return hash.digest('hex').slice(0, 12);
}

function install(folder: string, { requirements, sources, ...pinned }: Pinned): void {
  run(python(pinned.python), '-m', 'venv', folder);
  const pip = (...args: readonly string[]) =>
    run(
      join(folder, 'bin', 'python'),
      ...['-m', 'pip', 'install', '--quiet', '--require-hashes', '--only-binary', ':all:'],
      ...args,
    );
  if (sources === undefined) pip('-r', requirements);
  else {
    pip('-r', sources.requirements);
    pip('-r', requirements, '--no-build-isolation', '--no-binary', sources.packages.join(','));
  }
}

const run = (command: string, ...args: readonly string[]): void =>
  void execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
