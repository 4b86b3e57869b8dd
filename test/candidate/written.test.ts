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
    [
      { kind: 'unknown' as const, sent: { size: 3, checksum: 'c' } },
      { kind: 'look', sent: { size: 3, checksum: 'c' } },
    ],
  ])('%j', (created, wanted) => {
    expect(written(created, 'results/x', 'x')).toMatchObject(wanted);
  });
});

describe('a look after a lost reply', () => {
  const sent = { size: 3, checksum: 'c' };

  it.each<[string, typeof stored | undefined, typeof sent | undefined, string]>([
    ['finds one’s own bytes', stored, sent, 'candidate'],
    ['finds nothing', undefined, sent, 'failure'],
    ['finds the same bytes of another attempt', { ...stored, attempt: 'B' }, sent, 'failure'],
    ['finds less than was sent', stored, { ...sent, size: 4 }, 'failure'],
    ['finds other bytes of the same size', stored, { ...sent, checksum: 'd' }, 'failure'],
    ['can believe nothing where not all was sent', stored, undefined, 'failure'],
    ['finds nothing where not all was sent', undefined, undefined, 'failure'],
  ])('%s', (_, there, sent, kind) => {
    expect(found(there, { attempt: 'A', sent })).toMatchObject({ kind });
  });
});
