import { extname, relative } from 'node:path';
import type { Shell } from './shell.ts';

/** The command line that runs a file of one's own with the settings of a file: on the Node that runs this, since the one on the path may be older. */
export function ownProcess(
  { settings, config }: { readonly settings: string; readonly config: string },
  { node: [path = 'node', ...flags], folder }: Shell,
): string {
  const near = relative(folder, path);
  return [
    near.startsWith('..') ? path : near,
    ...flags,
    `--env-file=${settings}`,
    // What could load the config can load a file like it.
    `app${extname(config)}`,
  ]
    .map(quoted)
    .join(' ');
}

const quoted = (word: string): string => (/^[\w./:=@+-]+$/.test(word) ? word : `'${word}'`);
