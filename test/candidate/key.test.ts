import { describe, expect, it } from 'vitest';
import { candidateKey, candidateName, candidatesOf, placeOf } from '../../lib/candidate/key.ts';
import { jobId } from '../../lib/job/job-id.ts';

const place = {
  job: jobId('export', 'a'),
  incarnation: '01JZ0000000000000000000000',
  generation: 7,
  attemptId: '01JZ0000000000000000000001',
  name: 'export.csv',
};

describe('the key of a candidate', () => {
  it('tells the whole place, and is read back whole', () => {
    const key = candidateKey(place);

    expect(key).toBe(
      `results/${place.job}/01JZ0000000000000000000000/0000000007/01JZ0000000000000000000001/export.csv`,
    );
    expect(placeOf(key)).toEqual(place);
  });

  it.each([
    'results/export-1/01JZ0000000000000000000000/7/A/export.csv',
    'results/export-1/01JZ0000000000000000000000/0000000007/A/folder/export.csv',
    'results/export-1/01JZ0000000000000000000000/0000000007/A/',
    'other/export-1/01JZ0000000000000000000000/0000000007/A/export.csv',
    'results/export-1/readme.txt',
  ])('is not read from what does not parse whole: %s', (key) => {
    expect(placeOf(key)).toBeUndefined();
  });

  it('keeps the candidates of a job apart from those of a job whose id begins the same (trace H6)', () => {
    expect(candidateKey(place).startsWith(candidatesOf('export-' as typeof place.job))).toBe(false);
  });

  it.each(['', '.', '..', 'a/b', 'ä.csv', 'x'.repeat(129)])('refuses the name %j', (name) => {
    expect(() => candidateName(name)).toThrow(
      expect.objectContaining({ code: 'candidate-name-invalid' }),
    );
  });
});
