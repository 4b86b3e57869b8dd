import { describe, expect, it } from 'vitest';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { SeededRandom } from '../../lib/local/seeded-random.ts';
import { randomContract } from '../contract/random.contract.ts';
import { at } from '../job/rows.ts';

randomContract('seeded chance', () => {
  const clock = new HandClock(at(0));
  return {
    random: new SeededRandom(7, clock),
    async pass() {
      clock.step(at(clock.now() - at(0) + 1));
    },
  };
});

describe('seeded chance', () => {
  const drawn = (seed: number) => {
    const random = new SeededRandom(seed, new HandClock(at(0)));
    return Array.from({ length: 5 }, () => [random.fraction(), random.ulid()]);
  };

  it('repeats itself for the same seed, and for no other', () => {
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  it('picks every one of a list in time, and nothing from an empty one', () => {
    const random = new SeededRandom(1, new HandClock(at(0)));

    const picked = Array.from({ length: 200 }, () => random.oneOf(['a', 'b', 'c']));

    expect(new Set(picked)).toEqual(new Set(['a', 'b', 'c']));
    expect(random.oneOf([])).toBeUndefined();
  });
});
