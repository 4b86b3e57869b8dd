import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What the emulator is made of, each with its hash. */
const requirements = 'test/aws/requirements.txt';

let emulator: ChildProcess | undefined;
let folder: string | undefined;

/**
 * Starts the emulator that test/aws speaks to, on a free port of the loopback, unless `AWS_ENDPOINT_URL` names another
 * endpoint. Without Python or PyPI those suites are skipped, and this says so.
 */
export async function setup(): Promise<void> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  process.env['AWS_REGION'] ??= 'us-east-1';
  if (process.env['AWS_ENDPOINT_URL'] !== undefined) return;
  try {
    const port = await freePort();
    emulator = started(installed(), port);
    await answering(emulator, port);
    process.env['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${port}`;
    process.env['LANEKEEPER_EMULATOR'] = 'ministack';
  } catch (thrown) {
    await teardown();
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    console.error(`\n!! The suites in test/aws are SKIPPED, since no emulator runs: ${why}\n`);
  }
}

/** Stops what was started. */
export async function teardown(): Promise<void> {
  if (emulator !== undefined && emulator.exitCode === null) {
    const ended = new Promise((gone) => emulator?.once('exit', gone));
    emulator.kill('SIGTERM');
    await ended;
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** The emulator's own Python environment, made once for each state of its requirements. */
function installed(): string {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const venv = resolve('.venv', `ministack-${hash}`);
  if (existsSync(venv)) return venv;
  const fresh = `${venv}.${process.pid}`;
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  run('python3', '-m', 'venv', fresh);
  run(
    join(fresh, 'bin', 'python'),
    ...['-m', 'pip', 'install', '--quiet', '--require-hashes', '--only-binary', ':all:'],
    ...['-r', requirements],
  );
  renameSync(fresh, venv);
  return venv;
}

function started(venv: string, port: number): ChildProcess {
  folder = mkdtempSync(join(tmpdir(), 'lanekeeper-emulator-'));
  return spawn(join(venv, 'bin', 'python'), ['-m', 'ministack'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      TMPDIR: folder,
      IOT_MTLS_ENABLED: '0',
      STATE_DIR: join(folder, 'state'),
      S3_DATA_DIR: join(folder, 's3'),
    },
  });
}

async function answering(process_: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (process_.exitCode !== null) throw new Error(`it ended with code ${process_.exitCode}`);
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error('it did not answer within 30 seconds');
}

const freePort = (): Promise<number> =>
  new Promise((found, failed) => {
    const server = createServer();
    server.on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => found(port));
    });
  });
