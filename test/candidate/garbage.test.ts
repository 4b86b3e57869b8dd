import { describe, expect, it } from 'vitest';
import { isGarbage, type Truth } from '../../lib/candidate/garbage.ts';
import { candidateKey } from '../../lib/candidate/key.ts';
import { jobId } from '../../lib/job/job-id.ts';

const place = {
  job: jobId('export', 'a'),
  incarnation: '01JZ0000000000000000000005',
  generation: 2,
  attemptId: 'A',
  name: 'x',
};
const key = candidateKey(place);
const truth: Truth = {
  incarnation: place.incarnation,
  generation: 2,
  isFinal: false,
  promoted: undefined,
};

describe('a candidate', () => {
  it.each<[string, Truth | undefined, boolean]>([
    ['may be promoted while its generation is the job’s (case fencing 38)', truth, false],
    ['is garbage once the generation has moved on', { ...truth, generation: 3 }, true],
    ['is garbage once the job is final', { ...truth, isFinal: true }, true],
    ['is kept when it is the promoted one', { ...truth, isFinal: true, promoted: key }, false],
    [
      'is kept when it is the promoted one, whatever else the row says',
      { ...truth, generation: 9, isFinal: true, promoted: key },
      false,
    ],
    [
      'is garbage when the job was made anew since (case fencing 41)',
      { ...truth, incarnation: '01JZ0000000000000000000006', generation: 0 },
      true,
    ],
    [
      'is kept when it belongs to a newer incarnation than the row that was read',
      { ...truth, incarnation: '01JZ0000000000000000000004', generation: 9, isFinal: true },
      false,
    ],
    [
      'is kept when it belongs to a newer generation than the final row that was read',
      { ...truth, generation: 1, isFinal: true },
      false,
    ],
    ['is kept while there is no row to judge by', undefined, false],
  ])('%s', (_, row, garbage) => {
    expect(isGarbage(key, place, row)).toBe(garbage);
  });
});
