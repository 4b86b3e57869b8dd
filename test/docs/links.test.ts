import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

interface Link {
  readonly page: string;
  readonly text: string;
  readonly path: string;
  readonly anchor: string | undefined;
}

const linksIn = (page: string, text: string): readonly Link[] =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)]
    .map(([, words = '', target = '']) => ({ words, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target))
    .map(({ words, target }) => {
      const [path = '', anchor] = target.split('#');
      return { page, text: words, path: path === '' ? page : join(dirname(page), path), anchor };
    });

/** Why a link leads nowhere; undefined where it leads somewhere. */
function brokenBy({ path, anchor, text }: Link): string | undefined {
  if (!existsSync(path)) return `${path} does not exist`;
  if (anchor !== undefined && !anchorsOf(readFileSync(path, 'utf8')).has(anchor))
    return `${path} has no heading #${anchor}`;
  if (path.endsWith('.test.ts') && text !== path && !testsOf(readFileSync(path, 'utf8')).has(text))
    return `${path} has no test called "${text}"`;
  return undefined;
}

/** What a file's `describe`s and `it`s, plain or by table, are called. */
function testsOf(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [name] = node.arguments;
      const called = /^(describe|it)\b/.test(node.expression.getText());
      if (called && name !== undefined && ts.isStringLiteralLike(name)) names.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.ES2023, true));
  return names;
}

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

describe('a link', () => {
  it('leads to a file, a heading or a test that is there', () => {
    const links = pages.flatMap((page) => linksIn(page, readFileSync(page, 'utf8')));

    const broken = links.flatMap((link) => {
      const why = brokenBy(link);
      return why === undefined ? [] : [`${link.page}: ${why}`];
    });

    expect(links.length).toBeGreaterThan(15);
    expect(broken).toEqual([]);
  });

  it('would be caught if it led nowhere', () => {
    const found = (text: string) => linksIn('README.md', text).map(brokenBy);

    expect(found('[x](nowhere.md)')).toEqual(['nowhere.md does not exist']);
    expect(found('[x](README.md#nowhere)')).toEqual(['README.md has no heading #nowhere']);
    expect(found('[pages](test/docs/links.test.ts)')).toEqual([
      'test/docs/links.test.ts has no test called "pages"',
    ]);
  });
});

describe('a page of docs/', () => {
  it('is led to by another page', () => {
    const led = new Set(
      pages.flatMap((page) =>
        linksIn(page, readFileSync(page, 'utf8'))
          .map(({ path }) => path)
          .filter((path) => path !== page),
      ),
    );

    expect(pages.filter((page) => page.startsWith('docs/') && !led.has(page))).toEqual([]);
  });
});

describe('the promises of the README', () => {
  it('each name the test that proves them', () => {
    const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\| (P\d+) \|.*$/gm)];

    const unproved = rows.filter(([row]) => !row.includes('.test.ts)')).map(([, name]) => name);

    expect(rows.length).toBeGreaterThan(10);
    expect(unproved).toEqual([]);
  });
});

describe('the index of decisions', () => {
  it('has a row for each page, by its title', () => {
    const pagesOf = readdirSync('docs/decisions').filter((name) => /^\d{3}-.*\.md$/.test(name));
    const index = readFileSync('docs/decisions/README.md', 'utf8');

    const unlisted = pagesOf.filter((name) => {
      const number = name.slice(0, 3);
      const [, title] =
        /^# \d{3}: (.+)$/m.exec(readFileSync(`docs/decisions/${name}`, 'utf8')) ?? [];
      return !index.includes(`| [${number}](${name}) | ${title} |`);
    });

    expect(pagesOf.length).toBeGreaterThan(0);
    expect(unlisted).toEqual([]);
  });
});
