import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const page = readFileSync('docs/dependencies.md', 'utf8');
const all = { ...manifest.dependencies, ...manifest.devDependencies };

describe('a dependency', () => {
  it.each(Object.entries(all))(
    '%s has an exact version, and a reason in docs/dependencies.md',
    (name, version) => {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(page).toContain(`| \`${name}\` | ${version} |`);
    },
  );

  it('has no row once it is gone', () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);

    expect(rows.sort()).toEqual(Object.keys(all).sort());
  });
});

describe('the doors', () => {
  it('lead to sources for those who ask for them, and to the build for everyone else', () => {
    const doors = Object.entries(manifest.exports).filter(([name]) => name !== './package.json');

    for (const [name, door] of doors) {
      const folder = name === '.' ? '' : `${name.slice(2)}/`;
      expect(door).toEqual({
        source: `./lib/${folder}index.ts`,
        types: `./dist/${folder}index.d.ts`,
        default: `./dist/${folder}index.js`,
      });
    }
  });
});
