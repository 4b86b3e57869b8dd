import type { JobId } from '../kernel/brand.ts';

/** Of which job, and of which life of it, a change of a projection is. */
export interface Head {
  readonly job: JobId;
  readonly incarnation: string;
}
