import { describe, expect, it } from 'vitest';
import type { Random } from '../../lib/ports/random.ts';

/** Chance under contract. */
export interface RandomAtHand {
  readonly random: Random;
  /** Lets a millisecond or more go by. */
  pass(): Promise<void>;
}

/** What every source of chance promises. */
export function randomContract(name: string, open: () => RandomAtHand): void {
  describe(`the random contract, kept by ${name}`, () => {
    it('gives fractions from 0 to less than 1, spread over all of it', () => {
      const { random } = open();

      const tenths = Array.from({ length: 2_000 }, () => Math.floor(random.fraction() * 10));

      expect(new Set(tenths)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    });

    it('gives ULIDs, none of them twice', () => {
      const { random } = open();

      const all = Array.from({ length: 2_000 }, () => random.ulid());

      expect(new Set(all).size).toBe(2_000);
      for (const ulid of all) expect(ulid).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    });

    it('gives ULIDs that sort by their time', async () => {
      const { random, pass } = open();
      const all: string[] = [];
      for (let i = 0; i < 5; i++) {
        all.push(random.ulid());
        await pass();
      }

      expect([...all].sort()).toEqual(all);
    });
  });
}
