import type { Config } from '../handler/define-config.ts';
import { permanent } from '../kernel/failure.ts';

/** Loads a project's config, TypeScript as it stands. @throws Failure `config-invalid` for a file that exports none, and what the file throws */
export async function loadConfig(file: URL): Promise<Config> {
  const { default: config } = (await import(file.href)) as { readonly default?: unknown };
  if (typeof config === 'object' && config !== null) return config;
  throw permanent(
    'config-invalid',
    `${file.pathname} must export a config as its default: export default defineConfig({ jobs: [...] })`,
  );
}
