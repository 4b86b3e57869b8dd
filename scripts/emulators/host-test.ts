import { copyFileSync, mkdirSync } from 'node:fs';
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
  process.exitCode = open.length > 0 ? 1 : code;
} finally {
  mkdirSync('reports', { recursive: true });
  copyFileSync(emulator.log, 'reports/localstack.log');
  await emulator.stop();
}
