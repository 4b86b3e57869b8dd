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
  const doors = Object.entries(manifest.exports).filter(([name]) => name !== './package.json');
  const sourceOf = (name: string) => (name === '.' ? 'index.ts' : `${name.slice(2)}/index.ts`);

  it('lead to sources for those who ask for them, and to the build for everyone else', () => {
    for (const [name, door] of doors) {
      const built = sourceOf(name).replace(/\.ts$/, '');
      expect(door).toEqual({
        source: `./lib/${sourceOf(name)}`,
        types: `./dist/${built}.d.ts`,
        default: `./dist/${built}.js`,
      });
    }
  });

  it('are all held to documentation', () => {
    const { entryPoints } = JSON.parse(readFileSync('typedoc.json', 'utf8')) as {
      readonly entryPoints: readonly string[];
    };

    expect([...entryPoints].sort()).toEqual(doors.map(([name]) => `lib/${sourceOf(name)}`).sort());
  });
});
