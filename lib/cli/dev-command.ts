import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { codeIn } from '../dev/code-in.ts';
import { type Dev, startDev } from '../dev/dev.ts';
import type { Note } from '../dev/note.ts';
import { watch } from '../dev/watch.ts';
import { realClock } from '../handler/real-clock.ts';
import type { Duration } from '../kernel/brand.ts';
import { permanent } from '../kernel/failure.ts';
import { seconds } from '../kernel/time.ts';
import { endpointOf } from './endpoint-of.ts';
import { ownProcess } from './own-process.ts';
import { parsed } from './parsed.ts';
import { introduced, printed } from './printed.ts';
import type { Shell } from './shell.ts';
import { emulated } from './usage.ts';

/** Runs until the shell says that it shall end. @throws Failure for a setting that can't be right */
export async function devCommand(shell: Shell): Promise<void> {
  const options = optionsOf(shell);
  const tell = (note: Note): void => {
    // Whoever reads that it was reloaded finds the settings as they are now.
    if (note.kind === 'reloaded') saved(note.environment, shell);
    const line = options.json ? JSON.stringify(note) : printed(note);
    if (line !== undefined) shell.print(line);
  };
  const folder = dirname(options.config);
  // Before any of it is loaded.
  const loaded = options.watch ? codeIn(folder) : new Map();
  const end = new AbortController();
  const ended = shell.ended().then(() => end.abort());
  const wanted = { ...options, env: shell.env, told: tell, signal: end.signal };
  await using dev = await startDev(wanted).catch((thrown: unknown) => {
    if (end.signal.aborted) return undefined;
    throw thrown;
  });
  if (dev === undefined) return;
  const unwatch = options.watch
    ? watch({
        ...{ folder, loaded, clock: realClock },
        changed: () => void dev.reload(),
        failed: (why) => tell({ kind: 'source-failed', name: 'watch', why: why.message }),
      })
    : () => {};
  // Only now: whoever reads it may change the code, and is heard.
  const settings = relative(shell.folder, saved(dev.environment, shell));
  if (options.json) shell.print(JSON.stringify({ kind: 'ready', environment: dev.environment }));
  else
    shell.print(
      introduced(dev, options.endpoint, {
        settings,
        process: ownProcess({ settings, config: options.config }, shell),
      }),
    );
  await ended;
  unwatch();
}

const flags = {
  config: { type: 'string' },
  endpoint: { type: 'string' },
  prefix: { type: 'string', default: 'dev' },
  workers: { type: 'string', default: '2' },
  timeout: { type: 'string', default: '60' },
  visibility: { type: 'string' },
  watch: { type: 'boolean', default: true },
  json: { type: 'boolean', default: false },
} as const;

function optionsOf(shell: Shell) {
  const { env, folder } = shell;
  const { values } = parsed(shell, flags);
  const { prefix, watch, json } = values;
  if (!/^[a-z0-9][a-z0-9-]{0,19}$/.test(prefix))
    throw permanent(
      'setting-malformed',
      `--prefix takes 1 to 20 small letters, digits and dashes, since a bucket bears it, got "${prefix}"`,
    );
  return {
    config: configOf(values.config, folder),
    endpoint: emulatorOf(values.endpoint ?? env['AWS_ENDPOINT_URL']),
    prefix,
    watch,
    json,
    workers: whole('--workers', values.workers, 100),
    timeout: inSeconds('--timeout', values.timeout, 900),
    ...(values.visibility === undefined
      ? {}
      : { visibility: inSeconds('--visibility', values.visibility, 43_200) }),
  };
}

const names = [
  'lanekeeper.config.ts',
  'lanekeeper.config.mts',
  'lanekeeper.config.js',
  'lanekeeper.config.mjs',
] as const;

function configOf(named: string | undefined, folder: string): string {
  const paths = (named === undefined ? names : [named]).map((name) => resolve(folder, name));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw permanent(
    'config-missing',
    named === undefined
      ? `there is no ${names[0]} in ${folder}: write one with export default defineConfig({ jobs: [...] }), or name yours with --config`
      : `there is no file ${paths[0]}`,
  );
}

function emulatorOf(text: string | undefined): string {
  if (text !== undefined && text !== '') return endpointOf(text);
  throw permanent(
    'endpoint-missing',
    'no endpoint is named: lanekeeper dev makes queues, tables and a bucket, so it asks for an emulator by --endpoint or AWS_ENDPOINT_URL, such as http://127.0.0.1:4566',
  );
}

function whole(flag: string, text: string, most: number): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return count;
  throw permanent(
    'setting-malformed',
    `${flag} takes a whole number from 1 to ${most}, got "${text}"`,
  );
}

const inSeconds = (flag: string, text: string, most: number): Duration =>
  seconds(whole(flag, text, most));

/** Keeps the environment that `onAws()` reads where the project's own processes find it; of credentials only those that every emulator takes. */
function saved(environment: Dev['environment'], { folder, env }: Shell): string {
  const file = join(folder, '.lanekeeper', 'dev.env');
  mkdirSync(dirname(file), { recursive: true });
  const isEmulated = env['AWS_ACCESS_KEY_ID'] === emulated.AWS_ACCESS_KEY_ID;
  const settings = {
    ...environment,
    AWS_REGION: env['AWS_REGION'] ?? '',
    ...(isEmulated ? emulated : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
