import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isFree } from './free-port.ts';
import { hasPort, listening, openToOthers } from './listening.ts';

/** A server in a process of its own, which only this machine can reach. */
export interface Emulator {
  readonly endpoint: string;
  /** Where it writes what it does, until it is stopped. */
  readonly log: string;
  /** Where it listens that others can reach. */
  open(): readonly string[];
  /** Ends it, by its process id, and deletes its folder. */
  stop(): Promise<void>;
}

/** How an emulator is started. */
export interface Start {
  readonly name: string;
  /** The Python of its environment. */
  readonly python: string;
  readonly module: string;
  /** A path that is answered as soon as it is ready. */
  readonly ready: string;
  /** Its settings; what it keeps belongs into the folder. */
  env(at: { readonly port: number; readonly folder: string }): Readonly<Record<string, string>>;
}

/** How often a port is chosen: between its choice and its use somebody else may take it. */
const mostTries = 3;

/**
 * Starts an emulator on a free port of the loopback, and waits until it answers.
 *
 * @throws Error with the end of its log, when it ends, doesn't answer, or listens on more than the loopback
 */
export async function started(start: Start): Promise<Emulator> {
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    try {
      return await startedAt(port, start);
    } catch (thrown) {
      if (tries === mostTries || (await isFree(port))) throw thrown;
    }
  }
}

async function startedAt(port: number, start: Start): Promise<Emulator> {
  const folder = mkdtempSync(join(tmpdir(), `lanekeeper-${start.name}-`));
  const log = join(folder, 'log');
  const out = openSync(log, 'w');
  const running = spawn(start.python, ['-m', start.module], {
    cwd: folder,
    stdio: ['ignore', out, out],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      ...start.env({ port, folder }),
    },
  });
  // What could not be started has no process id, which is looked at below.
  running.once('error', () => {});
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await ended(running);
    rmSync(folder, { recursive: true, force: true });
  };
  const emulator = { endpoint, log, stop, open: () => openToOthers(listening(running.pid ?? 0)) };
  try {
    await answering(running, { url: `${endpoint}${start.ready}`, port });
    closed(emulator.open());
  } catch (thrown) {
    const said = readFileSync(log, 'utf8').split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`${start.name}: ${messageOf(thrown)}\n${said}`);
  }
  return emulator;
}

async function answering(
  running: ChildProcess,
  { url, port }: { readonly url: string; readonly port: number },
): Promise<void> {
  const { pid } = running;
  if (pid === undefined) throw new Error('it could not be started: delete .venv, and try again');
  const until = Date.now() + 180_000;
  while (Date.now() < until) {
    if (running.exitCode !== null) throw new Error(`it ended with code ${running.exitCode}`);
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    // It may be somebody else who answers.
    if (isUp && hasPort(pid, port)) return;
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error('it did not answer within three minutes');
}

/** Fails for a server that others could reach: it would answer anybody, without credentials. */
function closed(open: readonly string[]): void {
  if (open.length > 0)
    throw new Error(`it listens on ${open.join(', ')}, and nothing but the loopback will do`);
}

/** Asks a process to end, and ends it when it doesn't. */
async function ended(running: ChildProcess): Promise<void> {
  const isOver = running.exitCode !== null || running.signalCode !== null;
  if (running.pid === undefined || isOver) return;
  const gone = new Promise((go) => running.once('exit', go));
  running.kill('SIGTERM');
  const forced = setTimeout(() => running.kill('SIGKILL'), 20_000);
  await gone;
  clearTimeout(forced);
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
