import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localstack } from './localstack.ts';
import { suites } from './suites.ts';

const emulator = await localstack();
try {
  const code = await suites({
    endpoint: emulator.endpoint,
    emulator: 'localstack',
    folders: ['test/aws', 'test/localstack'],
  });
  const open = emulator.open();
  if (open.length > 0) console.error(`LocalStack opened ${open.join(', ')} to others`);
  const isOwn = existsSync(join(dirname(emulator.log), 's3'));
  if (!isOwn)
    console.error("LocalStack keeps objects elsewhere than in its folder, and won't delete them");
  process.exitCode = open.length > 0 || !isOwn ? 1 : code;
} finally {
  mkdirSync('reports', { recursive: true });
  copyFileSync(emulator.log, 'reports/localstack.log');
  await emulator.stop();
}
