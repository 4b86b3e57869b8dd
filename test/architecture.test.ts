import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The whole map: each room, and the rooms and doors that it may import. Anything else is a mistake. */
const map: Readonly<Record<string, readonly string[]>> = {
  'lib/kernel': [],
  'lib/ports': ['lib/kernel'],
  'lib/batch': ['lib/kernel', 'lib/ports'],
  'lib/job': ['lib/kernel', 'lib/ports'],
  'lib/candidate': ['lib/kernel', 'lib/ports'],
  'lib/outbox': ['lib/kernel', 'lib/ports'],
  'lib/retry': ['lib/kernel', 'lib/ports'],
  'lib/inbox': ['lib/kernel', 'lib/ports'],
  'lib/projection': ['lib/kernel', 'lib/ports'],
  'lib/observe': ['lib/kernel', 'lib/ports'],
  'lib/handler': [
    'lib/kernel',
    'lib/ports',
    'lib/batch',
    'lib/job',
    'lib/candidate',
    'lib/outbox',
    'lib/retry',
    'lib/inbox',
    'lib/projection',
    'lib/observe',
  ],
  'lib/aws': ['lib/kernel', 'lib/ports', 'lib/observe', 'lib/handler'],
  'lib/local': ['lib/kernel', 'lib/ports', 'lib/job', 'lib/retry', 'lib/handler'],
  'lib/dev': ['lib/kernel', 'lib/ports', 'lib/handler', 'lib/aws', 'lib/local'],
  'lib/infra': ['lib/kernel', 'lib/handler'],
  'lib/entry': ['lib/handler', 'lib/aws'],
  'lib/cli': [
    'lib/kernel',
    'lib/ports',
    'lib/job',
    'lib/candidate',
    'lib/retry',
    'lib/handler',
    'lib/aws',
    'lib/dev',
  ],
  lib: ['lib/kernel', 'lib/ports', 'lib/candidate', 'lib/retry', 'lib/observe', 'lib/handler'],
  functions: ['lanekeeper', 'lanekeeper/aws'],
  infra: ['lanekeeper/infra', 'functions'],
  demo: ['lanekeeper', 'lanekeeper/local', 'functions'],
  bench: ['lanekeeper', 'lanekeeper/local', 'test'],
  scripts: [],
};

/** Which rooms may import which packages; `node:` and `@scope/` stand for all that begin so. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['lib/kernel', 'lib/local', 'lib/aws'],
  'node:': ['lib/dev', 'lib/cli', 'lib/infra', 'functions', 'demo', 'bench', 'scripts'],
  'aws-lambda': ['lib/handler', 'lib/local', 'lib/aws', 'lib/dev', 'functions', 'demo', 'bench'],
  '@aws-sdk/': ['lib/aws', 'scripts'],
  '@smithy/': ['lib/aws'],
  'aws-cdk-lib': ['lib/infra', 'infra'],
  constructs: ['lib/infra', 'infra'],
  canonicalize: ['lib/kernel'],
  ulid: ['lib/local', 'lib/aws'],
  'pure-rand': ['lib/local'],
  valibot: ['functions', 'bench'],
  '@middy/': ['functions'],
  '@aws-lambda-powertools/': ['functions'],
  'csv-parse': ['functions'],
  'csv-stringify': ['functions'],
};

/** Folders that are nobody's room: what tools write, and tests, which may import anything. */
const offTheMap = ['node_modules', 'dist', 'coverage', 'reports', 'test'];

/** Where a file stands on the map: its room, or the folder of the door. */
function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'lib' && path.split('/').length > 2 ? `lib/${second}` : first;
}

/** What is wrong with a file's imports. */
function mistakesIn(path: string, text: string): readonly string[] {
  const room = roomOf(path);
  const allowed = map[room];
  if (allowed === undefined) return [`${path}: ${room} is not on the map`];
  return ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => !isAllowed(name, { path, room, allowed }))
    .map((name) => `${path} imports ${name}`);
}

function isAllowed(
  name: string,
  at: { readonly path: string; readonly room: string; readonly allowed: readonly string[] },
): boolean {
  if (name.startsWith('.')) {
    const target = roomOf(normalize(join(dirname(at.path), name)));
    return target === at.room || at.allowed.includes(target);
  }
  if (at.allowed.includes(name)) return true;
  return Object.entries(packages).some(
    ([listed, rooms]) => isIn(listed, name) && rooms.includes(at.room),
  );
}

/** Whether a listed package is the one that is imported, as a whole or by one of its doors. */
function isIn(listed: string, name: string): boolean {
  if (/[:/]$/.test(listed)) return name.startsWith(listed);
  return name === listed || name.startsWith(`${listed}/`);
}

const files = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^\./.test(entry.name))
  .map(({ name }) => name)
  .filter((folder) => !offTheMap.includes(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );

/** Whether code outside of functions can change what a file's top level holds. */
function changingIn(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023);
  return source.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) return variablesOf(statement, source);
    return ts.isClassDeclaration(statement) ? staticsOf(statement, source) : [];
  });
}

function variablesOf(
  { declarationList }: ts.VariableStatement,
  source: ts.SourceFile,
): readonly string[] {
  const isConst = (declarationList.flags & ts.NodeFlags.Const) !== 0;
  return declarationList.declarations
    .filter((declared) => !isConst || canChange(declared, source))
    .map(({ name }) => `${source.fileName}: ${name.getText(source)}`);
}

function staticsOf(declared: ts.ClassDeclaration, source: ts.SourceFile): readonly string[] {
  const has = (member: ts.PropertyDeclaration, kind: ts.SyntaxKind) =>
    member.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
  return declared.members
    .filter(ts.isPropertyDeclaration)
    .filter((member) => has(member, ts.SyntaxKind.StaticKeyword))
    .filter((member) => !has(member, ts.SyntaxKind.ReadonlyKeyword) || canChange(member, source))
    .map(({ name }) => `${source.fileName}: static ${name.getText(source)}`);
}

/** A list, a collection or an empty object that isn't said to be read only. */
function canChange(
  {
    initializer: value,
    type,
  }: { readonly initializer?: ts.Expression; readonly type?: ts.TypeNode },
  source: ts.SourceFile,
): boolean {
  if (value === undefined || /^readonly\b|^Readonly/.test(type?.getText(source) ?? ''))
    return false;
  if (ts.isObjectLiteralExpression(value) && value.properties.length === 0) return true;
  return makesCollection(value, source);
}

/** Whether it makes a collection, however deep inside; what a function makes when it is called is its caller's. */
function makesCollection(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isFunctionLike(node)) return false;
  if (ts.isAsExpression(node) && node.type.getText(source) === 'const') return false;
  if (ts.isArrayLiteralExpression(node)) return true;
  const made = ts.isNewExpression(node) ? node.expression.getText(source) : '';
  if (/^(Weak)?(Map|Set|Ref)$|^Array$/.test(made)) return true;
  return ts.forEachChild(node, (child) => makesCollection(child, source)) ?? false;
}

/** The names that a file exports by its own declarations. */
function exportsOf(path: string, text: string): ReadonlySet<string> {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023);
  return new Set(
    source.statements
      .filter((statement) => /^export\b/.test(statement.getText(source)))
      .flatMap((statement) => {
        if (ts.isVariableStatement(statement))
          return statement.declarationList.declarations.map(({ name }) => name.getText(source));
        if (!ts.isFunctionDeclaration(statement) && !isType(statement)) return [];
        return statement.name?.text ?? [];
      }),
  );
}

const isType = (
  statement: ts.Statement,
): statement is ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  ts.isClassDeclaration(statement) ||
  ts.isInterfaceDeclaration(statement) ||
  ts.isTypeAliasDeclaration(statement);

/**
 * What a file should be called instead. One noun gives its file the name (`garbage.ts` may hold `isGarbage`); a file of
 * several is named for what they share, which only a reader can judge. Lambda wants every entry point to be `handler`.
 */
function misnamed(path: string, text: string): readonly string[] {
  if (/\b(utils?|helpers?|common|misc|managers?|services?)\b/.test(path))
    return [`${path} says nothing by its name`];
  const nouns = [...exportsOf(path, text)].filter(
    (name, _, all) => !all.some((other) => other !== name && sameWord(other, name)),
  );
  const file = basename(path, '.ts').replaceAll('-', '');
  const [only] = nouns;
  if (only === 'handler' && /^(functions|lib\/entry)\//.test(path)) return [];
  if (only === undefined || nouns.length > 1 || only.toLowerCase().includes(file)) return [];
  return [`${path} exports only ${only}`];
}

/** `Ran` is the type of what `ran` answers: one noun, said once, by the value. */
const sameWord = (value: string, type: string): boolean =>
  value !== type && value.toLowerCase() === type.toLowerCase() && /^[A-Z]/.test(type);

describe('the house', () => {
  it('has every file in its room, and no arrow that is not on the map', () => {
    const mistakes = files.flatMap((path) => mistakesIn(path, readFileSync(path, 'utf8')));

    expect(files.length).toBeGreaterThan(50);
    expect(mistakes).toEqual([]);
  });

  it.each([
    ['lib/job/x.ts', "import { a } from '../candidate/key.ts';"],
    ['lib/batch/x.ts', "import { a } from '../handler/turn.ts';"],
    ['lib/kernel/x.ts', "import type { a } from '../ports/store.ts';"],
    ['lib/handler/x.ts', "export { a } from '../local/laptop.ts';"],
    ['lib/outbox/x.ts', "type A = import('../job/job.ts').JobRow;"],
    ['lib/job/x.ts', "const a = await import('node:fs');"],
    ['lib/batch/x.ts', "import { a } from 'node:crypto';"],
    ['lib/handler/x.ts', "import { a } from '@aws-sdk/client-sqs';"],
    ['lib/retry/x.ts', "import type { SQSEvent } from 'aws-lambda';"],
    ['lib/local/x.ts', "import { a } from 'ulid-of-somebody-else';"],
    ['lib/kernel/x.ts', "import 'left-pad';"],
    ['functions/export/x.ts', "import { a } from '../../lib/index.ts';"],
    ['functions/export/x.ts', "import { a } from 'lanekeeper/local';"],
    ['demo/x.ts', "import { a } from 'lanekeeper/kernel';"],
    ['bench/x.ts', "import { a } from '../lib/batch/run-groups.ts';"],
    ['lib/cellar/x.ts', ''],
    ['attic/x.ts', ''],
  ])('would not have %s with: %s', (path, text) => {
    expect(mistakesIn(path, text)).toHaveLength(1);
  });

  it.each([
    ['lib/kernel/x.ts', "import { a } from 'node:crypto'; import { b } from './never.ts';"],
    ['lib/local/x.ts', "import { a } from 'pure-rand/generator/xoroshiro128plus';"],
    [
      'functions/export/x.ts',
      "import { a } from 'lanekeeper'; import { b } from 'csv-parse/sync';",
    ],
    ['functions/export/x.ts', "import { a } from 'node:crypto';"],
    ['demo/x.ts', "import { a } from '../functions/export/job.ts';"],
  ])('would have %s with: %s', (path, text) => {
    expect(mistakesIn(path, text)).toEqual([]);
  });

  it('keeps nothing at module level that changes', () => {
    const changing = files
      .filter((path) => path.startsWith('lib/'))
      .flatMap((path) => changingIn(path, readFileSync(path, 'utf8')));

    expect(changing).toEqual([]);
  });

  it.each([
    'let a = 1;',
    'export let a: number;',
    'var a = 1;',
    'const a = new Map<string, number>();',
    'export const a: WeakMap<object, number> = new WeakMap();',
    'const a: string[] = [];',
    "const a = ['b'];",
    'const a: Record<string, number> = {};',
    'const a = { seen: new WeakSet() };',
    'export const a = { list: [1] };',
    'class A { static a = 1; }',
    'class A { static readonly a = new Set<string>(); }',
  ])('would not keep: %s', (text) => {
    expect(changingIn('x.ts', text)).toHaveLength(1);
  });

  it.each([
    'const a: ReadonlySet<string> = new Set([1]);',
    "const a = ['b'] as const;",
    "const a: readonly string[] = ['b'];",
    "const a = { list: ['b'] } as const;",
    'const a = () => new Map();',
    'const a = { b: () => [1] };',
    'class A { static readonly a = 1; readonly b = new Set<string>(); }',
    'function f() { let a = 1; return a; }',
  ])('would keep: %s', (text) => {
    expect(changingIn('x.ts', text)).toEqual([]);
  });

  it('calls a file after what it holds', () => {
    const wrong = files
      .filter((path) => /^(lib|functions)\//.test(path))
      .flatMap((path) => misnamed(path, readFileSync(path, 'utf8')));

    expect(wrong).toEqual([]);
  });

  it.each([
    ['lib/handler/user-code.ts', 'export type Ran = 1; export function ran() {}', 1],
    ['lib/job/changed-row.ts', 'export const changed = 1;', 1],
    ['lib/handler/worker.ts', 'export const handler = 1;', 1],
    ['functions/export/worker.ts', 'export const handler = 1;', 0],
    ['lib/job/job-utils.ts', 'export const a = 1; export const b = 1;', 1],
    ['lib/helpers/lease.ts', 'export const lease = 1;', 1],
    ['lib/handler/ran.ts', 'export type Ran = 1; export function ran() {}', 0],
    ['lib/candidate/garbage.ts', 'export const isGarbage = 1;', 0],
    ['lib/kernel/time.ts', 'export const seconds = 1; export const days = 1;', 0],
  ])('would judge %s with: %s', (path, text, mistakes) => {
    expect(misnamed(path, text)).toHaveLength(mistakes);
  });
});
