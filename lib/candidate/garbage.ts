import type { Place } from './key.ts';

/** What a job's row says about its candidates. */
export interface Truth {
  readonly incarnation: string;
  readonly generation: number;
  readonly isFinal: boolean;
  readonly promoted: string | undefined;
}

/**
 * Whether a candidate can never be promoted any more, whatever the clocks say. A row that isn't there says nothing, so
 * nothing is garbage then; nor is what a generation wrote that is newer than the row as it was read, since a failed job
 * may have been put back meanwhile.
 */
export function isGarbage(key: string, place: Place, truth: Truth | undefined): boolean {
  if (truth === undefined || key === truth.promoted) return false;
  return (
    truth.incarnation > place.incarnation ||
    (truth.incarnation === place.incarnation &&
      (truth.generation > place.generation ||
        (truth.isFinal && truth.generation === place.generation)))
  );
}
