import { localstack } from './localstack.ts';
import { ministack } from './ministack.ts';

/** `ministack` starts that one alone: less of AWS, up in a second. */
const name = process.argv[2] ?? 'localstack';
if (name !== 'localstack' && name !== 'ministack')
  throw new Error(`an emulator is localstack or ministack, got "${name}"`);
const emulator = await (name === 'ministack' ? ministack() : localstack());
console.log(`${name} answers at ${emulator.endpoint}; Ctrl-C stops it. Its log: ${emulator.log}

export AWS_ENDPOINT_URL=${emulator.endpoint}
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1
export LANEKEEPER_EMULATOR=${name}
`);

await new Promise((asked) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, asked);
  // Nothing else keeps Node waiting for a signal.
  setInterval(() => {}, 60_000);
});
await emulator.stop();
process.exit(0);
