import { build, type Rolldown } from 'vite';

/** Functions of the sample as files of one package, the SDK among them, since only Lambda itself brings it. */
export async function bundled(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, resolve: { conditions: ['source', 'module', 'node'] } },
    build: {
      ssr: true,
      write: false,
      target: 'node24',
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, `functions/export/${name}.ts`])),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  const chunks = [built]
    .flat()
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter((one): one is Rolldown.OutputChunk => one.type === 'chunk');
  return new Map(chunks.map(({ fileName, code }) => [fileName, Buffer.from(code)]));
}
