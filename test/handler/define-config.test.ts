import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../lib/dev/load-config.ts';
import { type Config, defineConfig } from '../../lib/index.ts';

const odd = (config: object): Config => config as Config;

const invalid = (message: string) => expect.objectContaining({ code: 'config-invalid', message });

describe('a config', () => {
  it('is taken as it is', () => {
    const config: Config = { jobs: [], consumers: {}, queues: {}, tables: ['own'] };

    expect(defineConfig(config)).toBe(config);
    expect(defineConfig({})).toEqual({});
  });

  it.each<[object, string]>([
    [{ job: [] }, 'job: unknown field'],
    [{ jobs: [], toString: 1 }, 'toString: unknown field'],
    [{ job: [], queue: {} }, 'job: unknown field; queue: unknown field'],
  ])('is refused with the fields that it doesn’t have: %o', (config, named) => {
    expect(() => defineConfig(odd(config))).toThrow(
      invalid(`the config is not right: ${named}; its fields are jobs, consumers, queues, tables`),
    );
  });

  it('is checked when it is loaded, though its file doesn’t say what it is', async () => {
    const file = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

    expect(await loadConfig(file('export default { jobs: [] }'))).toEqual({ jobs: [] });
    await expect(loadConfig(file('export default { table: [] }'))).rejects.toThrow(
      invalid(
        'the config is not right: table: unknown field; its fields are jobs, consumers, queues, tables',
      ),
    );
  });
});
