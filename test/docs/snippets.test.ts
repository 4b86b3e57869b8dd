import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** A piece of TypeScript that somebody may copy, and where it stands. */
interface Snippet {
  readonly file: string;
  /** The line in the file that its first line is. */
  readonly line: number;
  readonly code: string;
  /** What it leans on without saying so. */
  readonly before: string;
}

const pages = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...under('docs', '.md')];
const sources = under('lib', '.ts');

function under(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const inPages: readonly Snippet[] = pages.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ 1: code = '', index }) => ({
    file,
    line: lineAt(text, index) + 1,
    code,
    before: '',
  }));
});

/** What docstrings lean on without saying so. */
const preamble = `
import * as v from 'valibot';
import * as lk from 'lanekeeper';
import type { RebuildPlace } from 'lanekeeper';
import { startLaptop } from 'lanekeeper/local';
const { complete, createJobs, defineJob, done, fail, fifoHandler, jobHandler, relayHandler, retryLater, sweepHandler } = lk;
const { deltaProjection, eventHandler, once, rebuildProjections, snapshotProjection } = lk;
declare const world: lk.World;
declare const event: lk.EventOf<typeof exportJob>;
declare const board: lk.Projection<lk.EventOf<typeof exportJob>>;
declare const onAws: () => lk.World;
const Order = v.object({ id: v.string() });
declare const ship: (order: { id: string }) => Promise<void>;
declare const stack: import('aws-cdk-lib').Stack;
declare const shop: import('aws-cdk-lib').aws_lambda.Function;
declare const exportJob: lk.Job<'export', { dataset: string }, { rows: number }>;
`;
const greet = `
const greet = defineJob({ name: 'greet', input: v.object({ name: v.string() }), run: async () => complete() });
`;

const inDocstrings: readonly Snippet[] = sources.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/@example\n((?: *\* ?.*\n)+?) *\*\//g)].map(
    ({ 1: lines = '', index }) => {
      const code = lines.replaceAll(/^ *\* ?/gm, '');
      const before = `${preamble}${/const greet/.test(code) ? '' : greet}`;
      return { file, line: lineAt(text, index) + 1, code, before };
    },
  );
});

/** Type-checks snippets as if each stood in the repository's root, in one run of the compiler; answers errors by place. */
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
  host.readFile = (name) => {
    const snippet = files.get(name);
    return snippet === undefined ? readFile(name) : `${snippet.before}${snippet.code}`;
  };
  host.fileExists = (name) => files.has(name) || fileExists(name);
  const program = ts.createProgram([...files.keys()], relaxed, host);
  return [...files].flatMap(([name, snippet]) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map((found) => told(found, snippet)),
  );
}

/** An error, at the line of the page that a reader would look at. */
function told({ start, messageText }: ts.Diagnostic, snippet: Snippet): string {
  const { file, line, before, code } = snippet;
  const ahead = lineAt(before, before.length);
  const at = line + lineAt(`${before}${code}`, start ?? 0) - ahead;
  return `${file}:${at}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}

const wrong: Snippet = {
  file: 'nowhere.md',
  line: 7,
  code: "import { done } from 'lanekeeper';\nconst a: number = done();\n",
  before: preamble.replace('done, ', ''),
};

describe('an example', () => {
  const errors = errorsIn([...inPages, ...inDocstrings, wrong]);

  it('in a page or a docstring compiles', () => {
    expect(errors.filter((error) => !error.startsWith('nowhere.md'))).toEqual([]);
  });

  it('would be caught at its line if it were wrong', () => {
    expect(errors).toContainEqual(expect.stringMatching(/^nowhere\.md:8: Type '/));
  });

  it('is found wherever there is one', () => {
    const tags = sources.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^ *\* @example\b/gm),
    ]);
    const fences = pages.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^ *```(ts|typescript|js|javascript)\b/gm),
    ]);

    expect(inPages.length).toBeGreaterThanOrEqual(3);
    expect(inPages).toHaveLength(fences.length);
    expect(inDocstrings.length).toBeGreaterThanOrEqual(4);
    expect(inDocstrings).toHaveLength(tags.length);
  });
});
