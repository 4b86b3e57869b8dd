import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What runs against the sample as it was deployed to the emulator at `AWS_ENDPOINT_URL`. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/deployed/**/*.test.ts'],
    exclude: [],
    globalSetup: [],
    reporters: ['default', ['json', { outputFile: 'reports/deployed.json' }]],
    typecheck: { enabled: false },
    fileParallelism: false,
  },
});
