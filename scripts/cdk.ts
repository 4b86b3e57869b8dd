import { spawn } from 'node:child_process';
import { emptyBuckets } from './empty-buckets.ts';

/** A deployment to an emulator with plain `aws-cdk`. */
export interface Deployment {
  readonly endpoint: string;
  /** The command that synthesizes. @default that of cdk.json, on stage `local` */
  readonly app?: string;
  /** Where the assembly is written. @default 'cdk.out/local' */
  readonly output?: string;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** An emulator takes any credentials, and an account has none of this machine's metadata to offer. */
const settings = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  CI: 'true',
};

/** What a client of the emulator needs in its environment. */
export const emulated = (endpoint: string): Readonly<Record<string, string>> => ({
  ...settings,
  AWS_ENDPOINT_URL: endpoint,
});

/** Prepares the emulator's account for CDK, which does nothing where it is, and deploys. @throws Error where a command fails */
export async function deployed(to: Deployment): Promise<void> {
  await cdk(['bootstrap', 'aws://000000000000/us-east-1'], to);
  await cdk(['deploy', '--all', '--require-approval', 'never'], to);
}

/** Deletes what was deployed, with what its buckets hold. @throws Error where the command fails */
export async function destroyed(to: Deployment): Promise<void> {
  await emptyBuckets(to.endpoint, 'lanekeeper-export-local').catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    console.error(
      `The stack's buckets could not be emptied (${why}): one that holds something is told as DELETE_FAILED, and is gone when the emulator stops.`,
    );
  });
  await cdk(['destroy', '--all', '--force'], to);
}

function cdk(args: readonly string[], { endpoint, app, signal, ...to }: Deployment) {
  const { output = 'cdk.out/local' } = to;
  const running = spawn(
    process.execPath,
    [
      ...['node_modules/aws-cdk/bin/cdk', ...args, '--context', 'stage=local'],
      ...['--output', output, ...(app === undefined ? [] : ['--app', app])],
    ],
    { stdio: 'inherit', env: { ...process.env, ...emulated(endpoint) }, ...(signal && { signal }) },
  );
  return new Promise<void>((done, failed) => {
    running.once('error', failed);
    running.once('exit', (code) =>
      code === 0 ? done() : failed(new Error(`cdk ${args[0]} ended with code ${code}`)),
    );
  });
}
