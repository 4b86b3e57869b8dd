import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs it without any setting, so that whatever gets beyond the command line fails by the name of a variable. */
const submit = (...args: readonly string[]) => {
  const { LANEKEEPER_TABLES: _, ...env } = process.env;
  const all = ['--conditions=source', 'functions/export/submit.ts', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
};

describe("the sample's submit", () => {
  it('says how it is used', () => {
    const { code, out, err } = submit('--help');

    expect([code, err]).toEqual([0, '']);
    for (const word of ['DATASET', '--intent', '--format']) expect(out).toContain(word);
  });

  it.each([
    [
      'a word too many',
      ['cars.json', 'movies.json'],
      /^one DATASET, got "cars\.json movies\.json"/,
    ],
    ['an option that it doesn’t know', ['--compress'], /^Unknown option '--compress'/],
    ['an option without its value', ['--intent'], /^Option '--intent <value>' argument missing/],
  ])('ends with 2, and its usage, for %s', (_, args, sentence) => {
    const { code, out, err } = submit(...args);

    expect(err).toMatch(sentence);
    expect(err).toContain('npm run submit -- [DATASET]');
    expect([code, out]).toEqual([2, '']);
  });

  it('goes on to its settings with words that it takes', () => {
    const { code, err } = submit('cars.json', '--intent', 'one', '--format', 'ndjson');

    expect(err).toContain('LANEKEEPER_TABLES');
    expect(code).toBe(1);
  });
});
