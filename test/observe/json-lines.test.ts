import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onAws } from '../../lib/aws/index.ts';
import { countedKinds } from '../../lib/kernel/counted.ts';
import type { Happening } from '../../lib/kernel/happening.ts';
import { jsonLines } from '../../lib/observe/json-lines.ts';
import { counted, failing, reported, silent } from './told.ts';

let printed: string[];
const lines = (...happenings: readonly Happening[]) => {
  const said: string[] = [];
  happenings.forEach(jsonLines((line) => said.push(line)));
  return said;
};

beforeEach(() => {
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a world on AWS that is told nothing of observers', () => {
  it.each(countedKinds)('prints one line of JSON for %s, with the kind at its top', (kind) => {
    onAws().observe(counted[kind]);

    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(JSON.parse(printed[0] ?? '')).toMatchObject({ kind, at: counted[kind].at });
  });
});

describe('a log', () => {
  it('holds of a failure its code, its sentence and its facts, never what was thrown', () => {
    const [line = '', ...more] = lines(counted['event-set-aside']);

    expect(more).toEqual([]);
    expect(JSON.parse(line)).toEqual({
      kind: 'event-set-aside',
      at: counted['event-set-aside'].at,
      target: 'events',
      event: 'e-1',
      code: 'no-total',
      message: 'total is missing',
      facts: { field: 'total' },
    });
  });

  it.each(failing)('holds whatever has a failure: $kind', (happening) => {
    const [line = ''] = lines(happening);

    expect(JSON.parse(line)).toMatchObject({ kind: happening.kind, code: 'no-total' });
    expect(line).not.toContain('secret');
  });

  it.each(reported)('holds what reconcile reports, with its numbers: $kind', (happening) => {
    expect(lines(happening)).toEqual([JSON.stringify(happening)]);
  });

  it.each(silent)('holds nothing of what goes well: $kind', (happening) => {
    expect(lines(happening)).toEqual([]);
  });

  it('says where, and how much', () => {
    const said = lines(counted['write-fenced'], counted['orphans-collected']).map((line) =>
      JSON.parse(line),
    );

    expect(said).toMatchObject([{ what: 'progress', by: 3, generation: 2 }, { count: 4 }]);
  });
});
