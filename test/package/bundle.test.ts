import { resolve, sep } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';
import { describe, expect, it } from 'vitest';

/** A bundle as a function would be deployed: one minified file, without the SDK, which Lambda brings. */
interface Bundle {
  readonly bytes: number;
  /** The rooms of `lib/` that are in it. */
  readonly rooms: readonly string[];
  /** The packages that are in it. */
  readonly packages: readonly string[];
  /** What is left to be imported when it runs. */
  readonly imports: readonly string[];
}

const entry = (code: string): Plugin => ({
  name: 'entry',
  resolveId: (id) => (id === 'entry' ? '\0entry' : undefined),
  load: (id) => (id === '\0entry' ? code : undefined),
});

async function bundleOf(code: string): Promise<Bundle> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [entry(code)],
    ssr: { noExternal: true, resolve: { conditions: ['source', 'module', 'node'] } },
    build: {
      ssr: true,
      write: false,
      minify: true,
      target: 'node24',
      rolldownOptions: { input: 'entry', external: /^@(aws-sdk|smithy)\// },
    },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const chunks = outputs.filter((one): one is Rolldown.OutputChunk => one.type === 'chunk');
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => id.replaceAll(sep, '/'));
  const named = (pattern: RegExp) =>
    [...new Set(modules.flatMap((id) => pattern.exec(id)?.[1] ?? []))].sort();
  return {
    bytes: chunks.reduce((sum, { code: text }) => sum + Buffer.byteLength(text), 0),
    rooms: named(/\/lib\/([a-z]+)\/[^/]+\.ts$/),
    packages: named(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//),
    imports: [...new Set(chunks.flatMap(({ imports }) => imports))].sort(),
  };
}

/** Kilobytes of 1,000 bytes, with little room above what is measured, so that growth is a decision. */
const plain = { code: "export { done, fifoHandler } from 'lanekeeper';", most: 34_200 };
const stream = { code: "export { done, streamHandler } from 'lanekeeper';", most: 18_000 };
const worker = {
  code: "export { complete, defineJob, fail, jobHandler } from 'lanekeeper';",
  most: 49_000,
};

const onAws = {
  code: "export { complete, defineJob, jobHandler } from 'lanekeeper'; export { onAws } from 'lanekeeper/aws';",
  most: 74_000,
};

/** An entry point of the sample, with its schema, its CSV, middy and 23 kB of Powertools' log. */
const sample = (name: string): string =>
  `export { handler } from ${JSON.stringify(resolve(`functions/export/${name}.ts`))};`;

describe('a bundle', () => {
  it('of a plain queue stays below 34.2 kB, of which the larger half is care for what fails, and holds nothing of jobs and no package', async () => {
    const { bytes, rooms, packages, imports } = await bundleOf(plain.code);

    expect(bytes).toBeLessThan(plain.most);
    expect(rooms).toEqual(['batch', 'handler', 'inbox', 'kernel', 'observe', 'retry']);
    expect(packages).toEqual([]);
    expect(imports).toEqual([]);
  });

  it('of a stream stays below 18 kB, without the care that only a world can give', async () => {
    const { bytes, rooms, packages, imports } = await bundleOf(stream.code);

    expect(bytes).toBeLessThan(stream.most);
    expect(rooms).toEqual(['batch', 'handler', 'kernel', 'observe', 'retry']);
    expect(packages).toEqual(['canonicalize']);
    expect(imports).toEqual([]);
  });

  it('of a worker stays below 49 kB, and holds no package but canonicalize', async () => {
    const { bytes, rooms, packages, imports } = await bundleOf(worker.code);

    expect(bytes).toBeLessThan(worker.most);
    expect(rooms).not.toContain('local');
    expect(packages).toEqual(['canonicalize']);
    expect(imports).toEqual(['node:crypto']);
  });

  it('of a worker on AWS stays below 74 kB beside the SDK', async () => {
    const { bytes, rooms, packages, imports } = await bundleOf(onAws.code);

    expect(bytes).toBeLessThan(onAws.most);
    expect(rooms).not.toContain('local');
    expect(packages).toEqual(['canonicalize', 'ulid']);
    expect(imports).toContain('@aws-sdk/client-dynamodb');
  });

  it.each([
    ['worker', 161_000],
    ['relay', 62_000],
    ['sweep', 57_000],
    ['api', 141_000],
  ])("of the sample's %s stays below %d bytes beside the SDK", async (name, most) => {
    const { bytes, rooms, packages } = await bundleOf(sample(name));

    expect(bytes).toBeLessThan(most);
    expect(rooms).not.toContain('local');
    expect(packages).toEqual(
      expect.arrayContaining(['@aws-lambda-powertools/logger', '@middy/core']),
    );
  });

  it('of the laptop holds it, so that its absence elsewhere means something', async () => {
    const { rooms, packages } = await bundleOf("export { startLaptop } from 'lanekeeper/local';");

    expect(rooms).toContain('local');
    expect(packages).toEqual(['canonicalize', 'pure-rand', 'ulid']);
  });
});
