import { type Config, defineConfig } from '../handler/define-config.ts';
import { permanent } from '../kernel/failure.ts';

/** Loads a project's config, TypeScript as it stands. @throws Failure `config-invalid` for a file that exports none, that has unknown fields or that this Node can't read, and what the file throws */
export async function loadConfig(file: URL): Promise<Config> {
  const { default: config } = await loaded(file);
  if (typeof config === 'object' && config !== null) return defineConfig(config);
  throw permanent(
    'config-invalid',
    `${file.pathname} must export a config as its default: export default defineConfig({ jobs: [...] })`,
  );
}

async function loaded(file: URL): Promise<{ readonly default?: unknown }> {
  try {
    return await import(file.href);
  } catch (thrown) {
    if (!(thrown instanceof Error) || Reflect.get(thrown, 'code') !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw thrown;
    throw permanent(
      'config-invalid',
      `Node ${process.version} can't read what ${file.pathname} imports or is: TypeScript takes Node 22.18 or later, or write it in JavaScript`,
      { cause: thrown },
    );
  }
}
