import { readFileSync } from 'node:fs';
import { build, type Plugin } from 'vite';
import { describe, expect, it } from 'vitest';

interface Bundle {
  readonly kilobytes: number;
  /** Packages inside the bundle. */
  readonly contains: readonly string[];
  /** Modules that it loads from outside. */
  readonly loads: readonly string[];
}

const entry = (code: string): Plugin => ({
  name: 'entry',
  resolveId: (id) => (id === 'entry' ? '\0entry' : undefined),
  load: (id) => (id === '\0entry' ? code : undefined),
});

/** One minified file for Lambda out of what it exports. */
async function bundleOf(code: string): Promise<Bundle> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [entry(code)],
    ssr: { noExternal: true, resolve: { conditions: ['source', 'node'] } },
    build: { ssr: true, rolldownOptions: { input: 'entry' }, write: false, minify: true },
  });
  const chunks = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const parts = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
  return {
    kilobytes: parts.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0) / 1000,
    contains: parts.flatMap((chunk) => chunk.moduleIds).flatMap(packageOf),
    loads: parts.flatMap((chunk) => chunk.imports),
  };
}

const packageOf = (id: string): readonly string[] =>
  [...id.matchAll(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name = '']) => name);

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

describe('a bundle', { timeout: 60_000 }, () => {
  it.each([
    ['fifoHandler', 16],
    ['defineJob, jobHandler', 42],
    ['relayHandler', 12],
    ['sweepHandler', 5],
  ])(
    'of %s stays below %i kB, and holds no package but those of run time',
    async (doors, below) => {
      const bundle = await bundleOf(`export { ${doors} } from 'lanekeeper';`);

      expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...bundle.contains]));
      expect(['node:crypto']).toEqual(expect.arrayContaining([...bundle.loads]));
      expect(bundle.kilobytes).toBeGreaterThan(1);
      expect(bundle.kilobytes).toBeLessThan(below);
    },
  );

  it('of a plain fifoHandler is our own code alone', async () => {
    const bundle = await bundleOf("export { fifoHandler } from 'lanekeeper';");

    expect(bundle).toMatchObject({ contains: [], loads: [] });
  });

  it('shows what it pays for, so that the budgets can fail', async () => {
    const bundle = await bundleOf("export { startLaptop } from 'lanekeeper/local';");

    expect(new Set(bundle.contains)).toEqual(new Set(['canonicalize', 'pure-rand', 'ulid']));
    expect(bundle.kilobytes).toBeGreaterThan(42);
  });
});
