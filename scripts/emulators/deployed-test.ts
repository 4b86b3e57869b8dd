import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { type Deployment, deployed, destroyed, emulated } from '../cdk.ts';
import { localstack } from './localstack.ts';

/** Deploys the sample with a consumer to LocalStack, runs the suite against it, and deletes it again. */
const emulator = await localstack();
const { endpoint } = emulator;
const to: Deployment = {
  endpoint,
  app: `${process.execPath} --conditions=source test/deployed/app.ts`,
  output: 'cdk.out/deployed',
};
try {
  await deployed(to);
  const code = await suite('test/deployed/exports.test.ts', 'reports/deployed.json');
  await destroyed(to);
  const after = await suite('test/deployed/destroyed.test.ts', 'reports/destroyed.json');
  process.exitCode = code || after;
} finally {
  mkdirSync('reports', { recursive: true });
  copyFileSync(emulator.log, 'reports/deployed.log');
  await emulator.stop();
}

function suite(file: string, report: string): Promise<number> {
  const running = spawn(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.deployed.config.ts', file],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ],
    { stdio: 'inherit', env: { ...process.env, ...emulated(endpoint) } },
  );
  return new Promise((ended, failed) => {
    running.once('error', failed);
    running.once('exit', (code) => ended(code ?? 1));
  });
}
