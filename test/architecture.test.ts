import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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

const folders = ['lib', 'functions', 'infra', 'demo', 'bench'];

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
  const entry = Object.entries(packages).find(
    ([start]) => name === start || name.startsWith(start),
  );
  return entry?.[1].includes(at.room) ?? false;
}

const files = folders.flatMap((folder) => {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
});

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
    ['lib/cellar/x.ts', ''],
  ])('would not have %s with: %s', (path, text) => {
    expect(mistakesIn(path, text)).toHaveLength(1);
  });

  it('keeps nothing at module level that changes', () => {
    const changing = files
      .filter((path) => path.startsWith('lib/'))
      .flatMap((path) => changingIn(path, readFileSync(path, 'utf8')));

    expect(changing).toEqual([]);
    expect(changingIn('x.ts', 'let a = 1;')).toHaveLength(1);
    expect(changingIn('x.ts', 'const a = new Map<string, number>();')).toHaveLength(1);
    expect(changingIn('x.ts', 'const a: ReadonlySet<string> = new Set([1]);')).toEqual([]);
    expect(changingIn('x.ts', 'function f() { let a = 1; return a; }')).toEqual([]);
  });
});

/** Top-level state: a `let`, or a collection that isn't said to be read only. */
function changingIn(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023);
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
    if ((declarationList.flags & ts.NodeFlags.Const) === 0) return [`${path}: let`];
    return declarationList.declarations
      .filter(({ initializer, type }) => {
        const made = initializer && ts.isNewExpression(initializer) && initializer.expression;
        const isCollection = made && ts.isIdentifier(made) && /^(Weak)?(Map|Set)$/.test(made.text);
        return isCollection && !type?.getText(source).startsWith('Readonly');
      })
      .map(({ name }) => `${path}: ${name.getText(source)}`);
  });
}
