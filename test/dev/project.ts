import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onAws } from '../../lib/aws/index.ts';
import { type Dev, startDev } from '../../lib/dev/dev.ts';
import type { Note } from '../../lib/dev/note.ts';
import { type Duration, seconds, type World } from '../../lib/index.ts';

/** A project of its own in a folder, and `lanekeeper dev` over it. */
export interface Project extends AsyncDisposable {
  readonly dev: Dev;
  readonly world: World;
  readonly notes: readonly Note[];
  /** What the project's code wrote down, line by line. */
  written(): readonly string[];
  /** Replaces the project's config. */
  rewrite(config: string): void;
}

/** Begins every config: `note` writes a line down, `pause` waits. */
const head = (folder: string): string => `
import { appendFileSync } from 'node:fs';
import { complete, defineConfig, defineJob, done, fifoHandler, permanent } from 'lanekeeper';
import * as v from 'valibot';
const note = (line) => appendFileSync(${JSON.stringify(join(folder, 'written'))}, line + '\\n');
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
`;

/** How long its functions may run, and how long its queues hide a message. */
interface Lengths {
  readonly timeout: Duration;
  readonly visibility: Duration;
}

/** Nothing that a slow machine does is taken for a function that overran, and nothing comes twice because of it. */
const ample: Lengths = { timeout: seconds(30), visibility: seconds(60) };

let made = 0;

/** Starts a project inside this package, whose name it imports. */
export async function project(config: string, lengths = ample): Promise<Project> {
  made += 1;
  mkdirSync('.lanekeeper', { recursive: true });
  const folder = mkdtempSync(resolve('.lanekeeper', 'test-'));
  const file = join(folder, 'lanekeeper.config.ts');
  const written = join(folder, 'written');
  const rewrite = (text: string): void => writeFileSync(file, `${head(folder)}${text}`);
  writeFileSync(written, '');
  rewrite(config);
  const notes: Note[] = [];
  const { AWS_ENDPOINT_URL: endpoint = '' } = process.env;
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  const dev = await startDev({
    config: file,
    endpoint,
    prefix: `dev-${process.pid}-${made}`,
    ...lengths,
    env: { ...process.env, NODE_OPTIONS: '--conditions=source' },
    told: (note) => void notes.push(note),
  }).catch((thrown: unknown) => {
    clear();
    throw thrown;
  });
  const { tables, bucket, targets } = dev.resources;
  return {
    dev,
    notes,
    rewrite,
    world: onAws({ tables, bucket, targets, observe: () => {} }),
    written: () => readFileSync(written, 'utf8').split('\n').slice(0, -1),
    async [Symbol.asyncDispose]() {
      await dev[Symbol.asyncDispose]();
      clear();
    },
  };
}

/** Waits until it holds. @throws Error when it doesn't within two minutes, which no machine is slow enough for */
export async function until(holds: () => unknown, what: string): Promise<void> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    if (await holds()) return;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`it never came about that ${what}`);
}
