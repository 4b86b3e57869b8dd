import { spawn } from 'node:child_process';
import { deployed, emulated } from '../cdk.ts';
import { deploymentAt } from './sample-deployment.ts';

/** Deploys the sample with a consumer, runs its suite, which deletes it again, and answers the suite's exit code. @throws Error where it can't be deployed */
export async function sampleSuite(endpoint: string, signal: AbortSignal): Promise<number> {
  await deployed({ ...deploymentAt(endpoint), signal });
  const running = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.deployed.config.ts'],
    { stdio: 'inherit', env: { ...process.env, ...emulated(endpoint) }, signal },
  );
  return new Promise((ended, failed) => {
    running.once('error', failed);
    running.once('exit', (code) => ended(code ?? 1));
  });
}
