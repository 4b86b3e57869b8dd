import { describe, expect, it } from 'vitest';
import { swept } from '../../lib/job/swept.ts';
import { at, queued } from './rows.ts';

describe('a mark that was looked at', () => {
  it.each([
    ['first, and nothing is left', undefined, 0, { sweepAt: at(9), sweeps: 1 }],
    ['first, and something is left', 0, 2, { sweepAt: at(9), sweeps: 1 }],
    ['again, and something is left', 1, 2, { sweepAt: at(9), sweeps: 2 }],
    ['again, and nothing is left', 1, 0, undefined],
    ['often, and nothing is left', 7, 0, undefined],
  ])('%s: stays for another look, or goes', (_, sweeps, left, set) => {
    const row = queued({ sweepAt: at(0), ...(sweeps === undefined ? {} : { sweeps }) });

    const write = swept(row, at(0), { again: at(9), left });

    expect(write).toMatchObject({
      remove: set === undefined ? ['sweepShard', 'sweepAt', 'sweeps', 'news'] : ['news'],
    });
    expect(write.kind === 'update' ? write.set : {}).toEqual(set);
  });
});
