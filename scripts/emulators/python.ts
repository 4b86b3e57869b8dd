import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * A Python of the given version, such as `3.13`, or the newest that `python3` means: on the path, or among pyenv's.
 *
 * @throws Error when there is none
 */
export function python(version?: string): string {
  const found = candidates(version).find((name) => {
    const is = versionOf(name);
    return is !== undefined && (version === undefined || is === version);
  });
  if (found === undefined) throw new Error(`there is no Python ${version ?? '3'}, install one`);
  return found;
}

function candidates(version: string | undefined): readonly string[] {
  if (version === undefined) return ['python3'];
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const kept = existsSync(versions) ? readdirSync(versions) : [];
  return [
    `python${version}`,
    ...kept
      .filter((name) => name.startsWith(`${version}.`))
      .map((name) => join(versions, name, 'bin', 'python')),
    'python3',
  ];
}

/** Such as `3.13`; nothing for a command that is missing, or that is pyenv's answer to a version that isn't chosen. */
function versionOf(name: string): string | undefined {
  const code = 'import sys; print("%d.%d" % sys.version_info[:2])';
  try {
    return execFileSync(name, ['-c', code], { stdio: 'pipe', encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
