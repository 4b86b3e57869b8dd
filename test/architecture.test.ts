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
  'lib/observe': ['lib/kernel', 'lib/ports'],
  'lib/handler': [
    'lib/kernel',
    'lib/ports',
    'lib/batch',
    'lib/job',
    'lib/candidate',
    'lib/outbox',
    'lib/retry',
    'lib/observe',
  ],
  'lib/aws': ['lib/kernel', 'lib/ports', 'lib/observe', 'lib/handler'],
  'lib/local': ['lib/kernel', 'lib/ports', 'lib/job', 'lib/handler'],
  lib: ['lib/kernel', 'lib/ports', 'lib/candidate', 'lib/retry', 'lib/handler'],
  functions: ['lanekeeper', 'lanekeeper/aws'],
  infra: ['lib/kernel', 'lanekeeper', 'functions'],
  demo: ['lanekeeper', 'lanekeeper/local', 'functions'],
  bench: ['lanekeeper', 'lanekeeper/local'],
};

/** Which rooms may import which packages; `node:` stands for all of Node's own modules. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['lib/kernel', 'lib/local', 'lib/aws'],
  'node:': ['functions', 'demo', 'bench'],
  'aws-lambda': ['lib/handler', 'lib/local', 'functions', 'demo', 'bench'],
  '@aws-sdk/': ['lib/aws'],
  '@smithy/': ['lib/aws'],
  'aws-cdk-lib': ['infra'],
  constructs: ['infra'],
  canonicalize: ['lib/kernel'],
  ulid: ['lib/local', 'lib/aws'],
  'pure-rand/': ['lib/local'],
  valibot: ['functions'],
  'csv-parse': ['functions'],
  'csv-stringify': ['functions'],
};

const outside: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'coverage',
  'reports',
  'test',
]);

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
    ([start, rooms]) => isIn(name, start) && rooms.includes(at.room),
  );
}

/** Whether an import is of a package or of a file in it; `pure-rand` is no start of `pure-random`. */
const isIn = (name: string, start: string): boolean =>
  name === start || name.startsWith(/[/:]$/.test(start) ? start : `${start}/`);

/** All sources of the project but its tests, which may import anything, and the settings of tools at its root. */
const files = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^\./.test(entry.name) && !outside.has(entry.name))
  .flatMap(({ name: folder }) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
      .map((name) => join(folder, name)),
  );

/** Files of several exports that are named for what these are together. */
const families: ReadonlySet<string> = new Set([
  'lib/handler/job-tellings.ts',
  'lib/handler/user-code.ts',
  'lib/job/guards.ts',
  'lib/job/operator.ts',
  'lib/kernel/settings.ts',
  'lib/local/queue-message.ts',
  'lib/outbox/ledger.ts',
]);

const sayNothing = /\b(utils?|helpers?|common|misc|shared|managers?|services?)\b/;

/** What is wrong with a file's name: it says nothing, or no export has a word of it. */
function misnamed(path: string, text: string): readonly string[] {
  if (sayNothing.test(path)) return [`${path}: the name says nothing`];
  const name = basename(path, '.ts');
  const words = name.split('-').map((word) => word.replace(/s$/, ''));
  const exported = exportsOf(text).flatMap((each) => each.split(/(?=[A-Z])/));
  const isNamed = exported.some((part) =>
    words.some((word) => part.toLowerCase().startsWith(word)),
  );
  return isNamed || name === 'index' || families.has(path)
    ? []
    : [`${path}: no export is called so`];
}

/** The names that a file declares and exports. */
const exportsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  );

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
    ['lib/job/x.ts', "import { a } from 'node:fs';"],
    ['lib/handler/x.ts', "import { a } from '@aws-sdk/client-sqs';"],
    ['lib/retry/x.ts', "import type { SQSEvent } from 'aws-lambda';"],
    ['functions/export/x.ts', "import { a } from '../../lib/index.ts';"],
    ['demo/x.ts', "import { a } from 'lanekeeper/kernel';"],
    ['lib/local/x.ts', "import { ulid } from 'ulidx';"],
    ['lib/job/x.ts', "const { a } = await import('../local/laptop.ts');"],
    ['lib/job/x.ts', "export { a } from '../candidate/key.ts';"],
    ['lib/job/x.ts', "export type A = import('aws-lambda').Context;"],
    ['lib/cellar/x.ts', ''],
    ['attic/x.ts', ''],
  ])('would not have %s with: %s', (path, text) => {
    expect(mistakesIn(path, text)).toHaveLength(1);
  });

  it('keeps nothing at module level that changes', () => {
    const changing = files
      .filter((path) => path.startsWith('lib/'))
      .flatMap((path) => changingIn(path, readFileSync(path, 'utf8')));

    expect(changing).toEqual([]);
  });

  it('names each file for what it exports', () => {
    const mistakes = files
      .filter((path) => path.startsWith('lib/'))
      .flatMap((path) => misnamed(path, readFileSync(path, 'utf8')));

    expect(mistakes).toEqual([]);
    expect([...families].filter((path) => !files.includes(path))).toEqual([]);
  });

  it.each([
    ['lib/job/lease.ts', 'export const claim = 1;'],
    ['lib/job/lease.ts', 'const lease = 1;'],
    ['lib/job/job-utils.ts', 'export const jobUtils = 1;'],
    ['lib/helpers/lease.ts', 'export const lease = 1;'],
  ])('would not have a file called %s with: %s', (path, text) => {
    expect(misnamed(path, text)).toHaveLength(1);
  });

  it.each([
    'let a = 1;',
    'var a = 1;',
    'const a = new Map<string, number>();',
    'const a = { seen: new WeakSet() };',
    'const a: string[] = [];',
    'export const a = { list: [1] };',
  ])('would not have at module level: %s', (text) => {
    expect(changingIn('lib/job/x.ts', text)).toHaveLength(1);
  });

  it.each([
    'const a: ReadonlySet<string> = new Set(["b"]);',
    'const a: readonly string[] = ["b"];',
    'const a = ["b"] as const;',
    'const a = { list: ["b"] } as const;',
    'const a = () => new Map();',
    'function f() { let a = 1; return a; }',
  ])('has nothing against: %s', (text) => {
    expect(changingIn('lib/job/x.ts', text)).toEqual([]);
  });
});

/** Top-level state: a `let`, or a collection that isn't said to be read only. */
function changingIn(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
    if ((declarationList.flags & ts.NodeFlags.Const) === 0) return [`${path}: let`];
    return declarationList.declarations
      .filter(({ initializer, type }) => {
        const isReadOnly = /^(Readonly|readonly)/.test(type?.getText(source) ?? '');
        return initializer !== undefined && !isReadOnly && makesCollection(initializer);
      })
      .map(({ name }) => `${path}: ${name.getText(source)}`);
  });
}

/** Whether running an expression makes a collection that can change; what a function makes when it is called is its own. */
function makesCollection(node: ts.Node): boolean {
  if (ts.isFunctionLike(node)) return false;
  if (ts.isAsExpression(node) && node.type.getText() === 'const') return false;
  if (ts.isArrayLiteralExpression(node)) return true;
  const made = ts.isNewExpression(node) ? node.expression.getText() : '';
  return (
    /^(Weak)?(Map|Set|Ref)$|^Array$/.test(made) || (ts.forEachChild(node, makesCollection) ?? false)
  );
}
