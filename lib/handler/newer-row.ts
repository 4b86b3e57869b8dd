import { type Failure, transient } from '../kernel/failure.ts';

/** The row was written by a release that is being deployed, so its fields may mean something else. */
export const newerRow = (schema: number): Failure =>
  transient(
    'row-newer',
    `the job's row has schema ${schema}, newer than this release: deploy it here too`,
  );
