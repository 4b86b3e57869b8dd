import type { brand } from '../kernel/brand.ts';

/** An object that one attempt wrote, true only once a completion promotes it; made by an attempt's `write` alone. */
export interface Candidate {
  readonly key: string;
  readonly size: number;
  readonly checksum: string;
  readonly [brand]: 'candidate';
}
