import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { deployed, emulated } from '../cdk.ts';
import { localstack } from './localstack.ts';
import { deploymentAt } from './sample-deployment.ts';

/** Deploys the sample with a consumer to LocalStack, and runs the suite there, which deletes it again. */
const emulator = await localstack();
const { endpoint } = emulator;
// Also while it is deployed: nothing is left running.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void emulator.stop().then(() => process.exit(1)));
try {
  await deployed(deploymentAt(endpoint));
  process.exitCode = await suite();
} finally {
  mkdirSync('reports', { recursive: true });
  copyFileSync(emulator.log, 'reports/deployed.log');
  await emulator.stop();
}

function suite(): Promise<number> {
  const running = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.deployed.config.ts'],
    { stdio: 'inherit', env: { ...process.env, ...emulated(endpoint) } },
  );
  process.once('SIGTERM', () => running.kill('SIGTERM'));
  return new Promise((ended, failed) => {
    running.once('error', failed);
    running.once('exit', (code) => ended(code ?? 1));
  });
}
