import { spawn } from 'node:child_process';

/** Where suites run. */
export interface Place {
  readonly endpoint: string;
  /** Whose deviations count. */
  readonly emulator: 'localstack' | 'ministack';
  /** The folders of the suites. */
  readonly folders: readonly string[];
}

/** Runs suites at an endpoint, and answers their exit code. */
export function suites({ endpoint, emulator, folders }: Place): Promise<number> {
  const running = spawn(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.localstack.config.ts'],
      ...folders,
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, AWS_ENDPOINT_URL: endpoint, LANEKEEPER_EMULATOR: emulator },
    },
  );
  // Whoever asks us to end asks the suites, so that what was started for them is stopped after them.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => running.kill('SIGTERM'));
  return new Promise((ended, failed) => {
    running.once('error', failed);
    running.once('exit', (code) => ended(code ?? 1));
  });
}
