import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What runs on LocalStack, at `AWS_ENDPOINT_URL`: the suites of the AWS adapters, then the sample behind its mappings. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/aws/**/*.test.ts', 'test/localstack/**/*.test.ts'],
    exclude: [],
    reporters: ['default', ['json', { outputFile: 'reports/localstack.json' }]],
    typecheck: { enabled: false },
  },
});
