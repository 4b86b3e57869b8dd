import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

/** A piece of TypeScript that somebody may copy. */
interface Snippet {
  readonly path: string;
  /** The line of the page or source on which its code begins. */
  readonly line: number;
  /** What it leans on without saying so. */
  readonly before: string;
  readonly code: string;
}

const under = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const pages = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...under('docs', '.md')];

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

const blocksIn = (path: string, text: string): readonly Snippet[] =>
  [...text.matchAll(/^( *)```(?:ts|typescript)\b.*\n([\s\S]*?)^ *```/gm)].map((found) => ({
    path,
    line: lineAt(text, found.index) + 1,
    before: '',
    code: found[2] ?? '',
  }));

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

/** The examples of a source: from an `@example` to the next tag or the end of its comment. */
const examplesIn = (path: string, text: string): readonly Snippet[] =>
  [...text.matchAll(/@example\b([\s\S]*?)(?=\n *\* @|\*\/)/g)].map((found) => {
    const code = (found[1] ?? '').replaceAll(/\n *\* ?/g, '\n');
    return {
      path,
      line: lineAt(text, found.index),
      before: `${preamble}${/const greet/.test(code) ? '' : greet}`,
      code,
    };
  });

const inPages = pages.flatMap((path) => blocksIn(path, readFileSync(path, 'utf8')));
const inDocstrings = under('lib', '.ts').flatMap((path) =>
  examplesIn(path, readFileSync(path, 'utf8')),
);

/** Type-checks snippets as if each stood in the repository's root, in one run of the compiler; answers each error at its line. */
function errorsIn(snippets: readonly Snippet[]): readonly string[] {
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
  const textOf = ({ before, code }: Snippet) => `${before}${code}`;
  host.readFile = (name) => {
    const snippet = files.get(name);
    return snippet === undefined ? readFile(name) : textOf(snippet);
  };
  host.fileExists = (name) => files.has(name) || fileExists(name);
  const program = ts.createProgram([...files.keys()], relaxed, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      (found) =>
        `${placeOf(found, files)}: ${ts.flattenDiagnosticMessageText(found.messageText, '\n')}`,
    );
}

/** Where an error is for the reader of the page. */
function placeOf(found: ts.Diagnostic, files: ReadonlyMap<string, Snippet>): string {
  const name = found.file?.fileName ?? '';
  const snippet = files.get(name);
  const line = found.file?.getLineAndCharacterOfPosition(found.start ?? 0).line ?? 0;
  if (snippet === undefined) return `${name}:${line + 1}`;
  return `${snippet.path}:${snippet.line + line - (snippet.before.split('\n').length - 1)}`;
}

const wrong = [
  ...blocksIn(
    'wrong.md',
    "# A\n\n```ts\nconst a = 1;\nimport { nothing } from 'lanekeeper';\n```\n",
  ),
  ...examplesIn('wrong.ts', '/**\n * @example\n * const a = 1;\n * fifoHandler(a);\n */\n'),
];

describe('an example', () => {
  let errors: readonly string[] = [];
  beforeAll(() => {
    errors = errorsIn([...inPages, ...inDocstrings, ...wrong]);
  }, 180_000);

  it('in a page or a docstring compiles', () => {
    expect(errors.filter((error) => !error.startsWith('wrong.'))).toEqual([]);
  });

  it('is shown at its line where it is wrong', () => {
    expect(errors.filter((error) => error.startsWith('wrong.'))).toEqual([
      expect.stringMatching(/^wrong\.md:5: .*nothing/),
      expect.stringMatching(/^wrong\.ts:4: /),
    ]);
  });

  it('is found wherever there is one', () => {
    const page =
      '# A\n```ts\nfirst();\n```\n  ```typescript title\n  second();\n  ```\n```sh\nls\n```\n';
    const source =
      '/** @example one(); */\n  /**\n   * @example\n   * two();\n   * three();\n   * @throws never\n   */\n';

    expect(blocksIn('a.md', page)).toMatchObject([
      { line: 3, code: 'first();\n' },
      { line: 6, code: '  second();\n' },
    ]);
    expect(examplesIn('a.ts', source)).toMatchObject([
      { line: 1, code: ' one(); ' },
      { line: 3, code: '\ntwo();\nthree();' },
    ]);
    expect(inPages.length).toBeGreaterThanOrEqual(3);
    expect(inDocstrings.length).toBeGreaterThanOrEqual(4);
  });
});
