import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasEndpoint } from '../aws/stand.ts';
import { lanekeeper } from './lanekeeper.ts';

it.skipIf(!hasEndpoint())(
  'lanekeeper dev misses no change, be it made while it begins or as soon as it says that it runs',
  async () => {
    mkdirSync('.lanekeeper', { recursive: true });
    const folder = mkdtempSync(join(process.cwd(), '.lanekeeper', 'cli-'));
    const config = (...names: readonly string[]) =>
      writeFileSync(
        join(folder, 'lanekeeper.config.ts'),
        `import { defineConfig } from 'lanekeeper';
         const names = ${JSON.stringify(names)};
         export default defineConfig({ queues: Object.fromEntries(names.map((name) => [name, () => async () => {}])) });`,
      );
    const steps: readonly (readonly [RegExp, () => void])[] = [
      // Its first plan has been read by now.
      [/process \d+ started/, () => config('first.fifo', 'second.fifo')],
      [/^settings /m, () => config('first.fifo', 'second.fifo', 'third.fifo')],
    ];
    const waiting = [...steps];
    config('first.fifo');

    const { code, out, err } = await lanekeeper(
      folder,
      ['dev', '--endpoint', process.env['AWS_ENDPOINT_URL'] ?? '', '--prefix', `w-${process.pid}`],
      {
        at(text, end) {
          if (waiting[0]?.[0].test(text)) waiting.shift()?.[1]();
          if (/reloaded.*third\.fifo/.test(text)) end();
        },
      },
    );

    rmSync(folder, { recursive: true });
    expect([code, err, waiting]).toEqual([0, '', []]);
    expect(out).toMatch(/reloaded, new: .*second\.fifo/);
  },
);
