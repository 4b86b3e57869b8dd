import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Emulator, started } from './emulator.ts';
import { ministack } from './ministack.ts';
import { venv } from './venv.ts';

/**
 * Starts LocalStack without Docker: its own SQS, S3, Lambda and event source mappings, MiniStack behind its DynamoDB, and
 * functions as processes of the Node that runs this.
 */
export async function localstack(): Promise<Emulator> {
  const dynamodb = await ministack();
  try {
    const front = await startedBefore(dynamodb.endpoint);
    const stop = async () => {
      await front.stop();
      await dynamodb.stop();
    };
    return { ...front, stop, open: () => [...front.open(), ...dynamodb.open()] };
  } catch (thrown) {
    await dynamodb.stop();
    throw thrown;
  }
}

function startedBefore(dynamodb: string): Promise<Emulator> {
  const python = venv({
    name: 'localstack',
    python: '3.13',
    requirements: join(import.meta.dirname, 'localstack.txt'),
    sources: {
      packages: ['crontab'],
      requirements: join(import.meta.dirname, 'localstack-build.txt'),
    },
  });
  return started({
    name: 'localstack',
    python,
    module: 'localstack.runtime.main',
    ready: '/_localstack/health',
    env: ({ port, folder }) => ({
      ...own(port),
      PYTHONPATH: join(import.meta.dirname, 'localexec'),
      LAMBDA_RUNTIME_EXECUTOR: 'local',
      LOCALEXEC_NODE: process.execPath,
      LOCALEXEC_DDB: dynamodb,
      PROVIDER_OVERRIDE_DYNAMODB: 'v2',
      PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
      CUSTOM_SSL_CERT_PATH: certificate(python, folder),
      FILESYSTEM_ROOT: folder,
      VOLUME_DIR: join(folder, 'volume'),
    }),
  });
}

/** Settings of LocalStack that keep it to the loopback and from calling anybody. */
const own = (port: number) => ({
  GATEWAY_LISTEN: `127.0.0.1:${port}`,
  LOCALSTACK_HOST: `127.0.0.1:${port}`,
  // Otherwise a queue's address is a name that only the network of its makers resolves.
  SQS_ENDPOINT_STRATEGY: 'path',
  DNS_ADDRESS: '0',
  DISABLE_EVENTS: '1',
  SKIP_SSL_CERT_DOWNLOAD: '1',
  OVERRIDE_IN_DOCKER: '0',
});

/** A certificate that nobody trusts: LocalStack wants one, or downloads it. */
function certificate(python: string, folder: string): string {
  const file = join(folder, 'server.pem');
  execFileSync(python, [join(import.meta.dirname, 'localexec', 'certificate.py'), file]);
  return file;
}
