import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** A piece of TypeScript that somebody may copy. */
interface Snippet {
  readonly where: string;
  readonly code: string;
}

const pages = ['README.md', 'CONTRIBUTING.md', ...under('docs', '.md')];
const sources = under('lib', '.ts');

function under(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const inPages: readonly Snippet[] = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ''], i) => ({
    where: `${page}, snippet ${i + 1}`,
    code,
  })),
);

/** What docstrings lean on without saying so. */
const preamble = `
import * as v from 'valibot';
import * as lk from 'lanekeeper';
import { startLaptop } from 'lanekeeper/local';
const { complete, createJobs, defineJob, done, fail, fifoHandler, jobHandler, relayHandler, retryLater, sweepHandler } = lk;
declare const onAws: () => lk.World;
const Order = v.object({ id: v.string() });
declare const ship: (order: { id: string }) => Promise<void>;
declare const exportJob: lk.Job<'export', { dataset: string }, { rows: number }>;
`;
const greet = `
const greet = defineJob({ name: 'greet', input: v.object({ name: v.string() }), run: async () => complete() });
`;

const inDocstrings: readonly Snippet[] = sources.flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/@example\n((?: \* ?.*\n)+?) \*\//g)].map(
    ([, text = '']) => {
      const code = text.replaceAll(/^ \* ?/gm, '');
      return {
        where: path,
        code: `${preamble}${/const greet/.test(code) ? '' : greet}${code}`,
      };
    },
  ),
);

/** Type-checks snippets as if each stood in the repository's root, in one run of the compiler; answers errors by place. */
function errorsIn(snippets: readonly Snippet[]): ReadonlyMap<string, readonly string[]> {
  const files = new Map(
    snippets.map((snippet, i) => [resolve(`snippet-${i}.ts`), snippet] as const),
  );
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    '.',
  );
  const relaxed = { ...options, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost(relaxed);
  const { readFile, fileExists } = host;
  host.readFile = (name) => files.get(name)?.code ?? readFile(name);
  host.fileExists = (name) => files.has(name) || fileExists(name);
  const errors = new Map<string, string[]>();
  for (const found of ts.getPreEmitDiagnostics(
    ts.createProgram([...files.keys()], relaxed, host),
  )) {
    const where = files.get(found.file?.fileName ?? '')?.where ?? found.file?.fileName ?? '';
    const text = ts.flattenDiagnosticMessageText(found.messageText, '\n');
    errors.set(where, [...(errors.get(where) ?? []), text]);
  }
  return errors;
}

describe('an example', () => {
  it('in a page or a docstring compiles', () => {
    const errors = errorsIn([...inPages, ...inDocstrings]);

    expect(Object.fromEntries(errors)).toEqual({});
  });

  it('is found where there is one, and would be caught if it were wrong', () => {
    expect(inPages.length).toBeGreaterThanOrEqual(3);
    expect(inDocstrings.length).toBeGreaterThanOrEqual(4);
    const wrong = { where: 'nowhere', code: "import { nothing } from 'lanekeeper';" };
    expect([...errorsIn([wrong]).keys()]).toEqual(['nowhere']);
  });
});
