import { describe, expect, it } from 'vitest';
import { ownProcess } from '../../lib/cli/own-process.ts';
import type { Shell } from '../../lib/cli/shell.ts';

const shellOf = (...node: readonly string[]): Shell => ({
  args: [],
  env: {},
  folder: '/home/me/shop',
  node,
  print: () => {},
  note: () => {},
  ended: () => Promise.resolve(),
});

const settings = '.lanekeeper/dev.env';

describe('the line for processes of your own', () => {
  it.each([
    [
      'names a Node of the project by its path from there, with its flags',
      ['/home/me/shop/node_modules/node/bin/node', '--conditions=source'],
      'lanekeeper.config.ts',
      'node_modules/node/bin/node --conditions=source --env-file=.lanekeeper/dev.env app.ts',
    ],
    [
      'names any other Node by its whole path, since another may be on the path',
      ['/usr/bin/node'],
      'lanekeeper.config.ts',
      '/usr/bin/node --env-file=.lanekeeper/dev.env app.ts',
    ],
    [
      'names a file of the kind that this Node could load the config as',
      ['/usr/bin/node'],
      'lanekeeper.config.mjs',
      '/usr/bin/node --env-file=.lanekeeper/dev.env app.mjs',
    ],
    [
      'quotes what a shell would take apart',
      ['/opt/my node/node'],
      'lanekeeper.config.js',
      "'/opt/my node/node' --env-file=.lanekeeper/dev.env app.js",
    ],
  ])('%s', (_, node, config, line) => {
    expect(ownProcess({ settings, config }, shellOf(...node))).toBe(line);
  });
});
