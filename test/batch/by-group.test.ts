import { describe, expect, it } from 'vitest';
import { byGroup } from '../../lib/batch/by-group.ts';

const named = (...ids: string[]) => ids.map((id) => ({ id, group: id.slice(0, 1) }));

describe('groups of a batch', () => {
  it('keep arrival order, also where they are not contiguous', () => {
    const groups = byGroup(named('A1', 'B1', 'A2', 'C1', 'B2', 'A3'));

    expect(groups.map((group) => group.map(({ id }) => id))).toEqual([
      ['A1', 'A2', 'A3'],
      ['B1', 'B2'],
      ['C1'],
    ]);
  });

  it('may be called like a property of every object', () => {
    const groups = byGroup([
      { id: '1', group: '__proto__' },
      { id: '2', group: 'constructor' },
      { id: '3', group: '__proto__' },
    ]);

    expect(groups.map((group) => group.map(({ id }) => id))).toEqual([['1', '3'], ['2']]);
  });

  it('are none in an empty batch', () => {
    expect(byGroup([])).toEqual([]);
  });
});
