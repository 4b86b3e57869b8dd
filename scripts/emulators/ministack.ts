import { join } from 'node:path';
import { type Emulator, started } from './emulator.ts';
import { venv } from './venv.ts';

/** Starts MiniStack, which has SQS, DynamoDB with streams, and S3 in one process. */
export const ministack = (): Promise<Emulator> =>
  started({
    name: 'ministack',
    python: venv({
      name: 'ministack',
      requirements: join(import.meta.dirname, 'ministack.txt'),
    }),
    module: 'ministack',
    ready: '/',
    env: ({ port, folder }) => ({
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      // Otherwise it opens port 8883 to everybody.
      IOT_MTLS_ENABLED: '0',
      STATE_DIR: join(folder, 'state'),
      S3_DATA_DIR: join(folder, 's3'),
    }),
  });
