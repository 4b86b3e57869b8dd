import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from '../../demo/report.ts';
import { written } from '../../demo/save.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanekeeper-demo-'));
afterAll(() => rmSync(folder, { recursive: true }));

const demo = (...args: string[]) =>
  spawnSync(process.execPath, ['--conditions=source', 'demo/main.ts', ...args], {
    encoding: 'utf8',
  });

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('the demo', () => {
  it('ends thirteen jobs, one of them at its second try, refuses the zombie, and collects its orphans', () => {
    const out = join(folder, 'out');
    const { stdout, stderr, status } = demo('--json', '--out', out);
    const report = JSON.parse(stdout) as Report;

    expect([status, stderr]).toEqual([0, '']);
    expect(report.jobs).toHaveLength(13);
    expect(new Set(report.jobs.map(({ groupId }) => groupId)).size).toBe(4);
    for (const job of report.jobs) {
      expect(job).toMatchObject({ status: 'succeeded' });
      expect(job.events.map(({ n, type }) => `${n} ${type}`)).toEqual([
        '1 export.run',
        ...(job.intentId === 'flights-birds'
          ? ['2 export.failed', '3 export.run', '4 export.succeeded']
          : ['2 export.succeeded']),
      ]);
    }
    expect(report.jobs.find(({ intentId }) => intentId === 'films-all')?.result?.rows).toBe(3_201);
    expect(report.refused).toMatchObject([{ what: 'complete', generation: 1, by: 2 }]);
    expect(report.orphans).toEqual({ found: 2, collected: 2, left: 0 });
    expect(report).toMatchObject({ published: 14, duplicates: 15 });
    expect(readdirSync(out)).toHaveLength(13);
    const films = readFileSync(join(out, 'films-all.csv'), 'utf8');
    expect(films.split('\r\n')[0]).toContain('Title,US Gross');
  });

  it('compares its catalogue with the jobs, though its worker crashed and events came twice, late, or not at all', () => {
    const told = demo('--seed', '2');
    const { catalogue } = JSON.parse(demo('--json').stdout) as Report;

    expect(catalogue).toMatchObject({ exports: 13, wrong: [], filled: 1, stale: 1, crashes: 1 });
    expect(catalogue.repeated).toBeGreaterThanOrEqual(2);
    expect(catalogue.totals).toContainEqual({ groupId: 'films', exports: 4, rows: 6_778 });
    expect(told.stdout).toContain(
      "The catalogue is true: its 13 exports and 4 totals are what the jobs' rows say.",
    );
  });

  it('exports a file of your own, and says what is wrong with one that is not what it says', () => {
    const good = demo('--json', '--input', file('mine.ndjson', '{"a":1}\n{"a":2}\n'));
    const bad = demo('--input', file('broken.json', '[{"a":1},{"a":'));

    const { jobs } = JSON.parse(good.stdout) as Report;
    expect(jobs.find(({ groupId }) => groupId === 'yours')).toMatchObject({ result: { rows: 2 } });
    expect(bad.status).toBe(1);
    expect(bad.stdout).toContain('your-file failed:');
    expect(bad.stdout).toContain('dataset-malformed');
  });

  it.each([
    [['--input', '/nowhere/mine.csv'], 'there is no file "/nowhere/mine.csv"'],
    [['--seed', 'x'], '--seed takes a whole number from 0 on, got "x"'],
    [['--oout', 'x'], "Unknown option '--oout'"],
  ])('refuses %j in one sentence', (args, sentence) => {
    const { status, stdout, stderr } = demo(...args);

    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
  });
});

describe('a file that the demo writes', () => {
  it('is there whole, or not at all when the disk is full', async () => {
    const path = join(folder, 'full.csv');
    symlinkSync('/dev/full', `${path}.part`);
    async function* bytes() {
      yield new Uint8Array(1024);
    }

    await expect(written(path, bytes())).rejects.toMatchObject({ code: 'ENOSPC' });

    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.part`)).toBe(false);
  });
});
