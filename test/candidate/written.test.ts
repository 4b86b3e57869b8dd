import { describe, expect, it } from 'vitest';
import { found, written } from '../../lib/candidate/written.ts';

const stored = {
  key: 'results/x',
  size: 3,
  checksum: 'c',
  contentType: 'text/plain',
  etag: '"e"',
  attempt: 'A',
};

describe('what a create came to', () => {
  it.each([
    [
      { kind: 'created' as const, stored },
      { kind: 'candidate', candidate: { size: 3 } },
    ],
    [
      { kind: 'taken' as const, stored },
      { kind: 'failure', failure: { code: 'candidate-taken', remedy: 'dead-letter' } },
    ],
    [{ kind: 'unknown' as const }, { kind: 'look' }],
  ])('%j', (created, wanted) => {
    expect(written(created, 'results/x', 'x')).toMatchObject(wanted);
  });
});

describe('a look after a lost reply', () => {
  it.each<[string, typeof stored | undefined, number | undefined, string]>([
    ['finds one’s own bytes', stored, 3, 'candidate'],
    ['finds nothing', undefined, 3, 'failure'],
    ['finds another attempt’s object of the same size', { ...stored, attempt: 'B' }, 3, 'failure'],
    ['finds less than was sent', stored, 4, 'failure'],
    ['can’t tell, since sizes prove nothing here', stored, undefined, 'failure'],
  ])('%s', (_, there, size, kind) => {
    expect(found(there, { attempt: 'A', size })).toMatchObject({ kind });
  });
});
