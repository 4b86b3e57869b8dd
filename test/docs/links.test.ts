import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  if (path.endsWith('.test.ts') && text !== path && !hasTest(readFileSync(path, 'utf8'), text))
    return `${path} has no test called "${text}"`;
  return undefined;
}

/** Whether a title stands there whole and in quotes, so that a comment proves nothing. */
const hasTest = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
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
    expect(found('[no such test](test/architecture.test.ts)')).toEqual([
      'test/architecture.test.ts has no test called "no such test"',
    ]);
    expect(found('[the house](test/architecture.test.ts)')).toEqual([undefined]);
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
  const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\| (P\d+) \|.*$/gm)].map(
    ([row, name]) => ({ row, name }),
  );

  it('each name the test that proves them', () => {
    const unproved = rows.filter(
      ({ row }) => !linksIn('README.md', row).some(({ path }) => path.endsWith('.test.ts')),
    );

    expect(rows.length).toBeGreaterThanOrEqual(12);
    expect(unproved).toEqual([]);
  });
});
