import { localstack } from './localstack.ts';

const emulator = await localstack();
console.log(`LocalStack answers at ${emulator.endpoint}; Ctrl-C stops it. Its log: ${emulator.log}

export AWS_ENDPOINT_URL=${emulator.endpoint}
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1
export LANEKEEPER_EMULATOR=localstack
`);

await new Promise((asked) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, asked);
  // Nothing else keeps Node waiting for a signal.
  setInterval(() => {}, 60_000);
});
await emulator.stop();
process.exit(0);
