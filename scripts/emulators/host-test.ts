import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { localstack } from './localstack.ts';
import { sampleSuite } from './sample-suite.ts';
import { suites } from './suites.ts';

const over = new AbortController();
// Whatever it is at: nothing is left running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => over.abort());

/** What can be run on one LocalStack, one after the other, each answering an exit code. */
const parts: Readonly<Record<string, (emulator: Emulator) => Promise<number>>> = {
  async adapters({ endpoint, open, log }) {
    const folders = ['test/aws', 'test/localstack'];
    const code = await suites({ endpoint, emulator: 'localstack', folders });
    if (open().length > 0) console.error(`LocalStack opened ${open().join(', ')} to others`);
    const isOwn = existsSync(join(dirname(log), 's3'));
    if (!isOwn)
      console.error("LocalStack keeps objects elsewhere than in its folder, and won't delete them");
    return open().length > 0 || !isOwn ? 1 : code;
  },
  sample: ({ endpoint }) => sampleSuite(endpoint, over.signal),
};

const asked = process.argv.slice(2);
if (asked.length === 0 || asked.some((name) => parts[name] === undefined))
  throw new Error(`what to run is ${Object.keys(parts).join(' or ')}, got "${asked.join(' ')}"`);

const emulator = await localstack();
const codes: number[] = [];
try {
  for (const name of asked)
    codes.push(over.signal.aborted ? 1 : ((await parts[name]?.(emulator).catch(failed)) ?? 1));
} finally {
  mkdirSync('reports', { recursive: true });
  copyFileSync(emulator.log, 'reports/localstack.log');
  await emulator.stop();
}
process.exitCode = Math.max(...codes);

function failed(thrown: unknown): number {
  console.error(thrown);
  return 1;
}
