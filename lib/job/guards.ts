import type { Instant } from '../kernel/brand.ts';
import { schemaNumber } from '../kernel/settings.ts';
import type { Condition } from '../ports/store.ts';
import type { JobRow, RunningJob } from './job.ts';

/** Every guard of a job's row, built here and nowhere else; `why` is its tag. */

// guard: absent
export const isAbsent: Condition = { kind: 'absent', why: 'absent' };

// guard: schema
export const schemaIsKnown: Condition = {
  kind: 'less',
  field: 'schema',
  value: schemaNumber + 1,
  why: 'schema',
};

// guard: incarnation
export const incarnationIs = (value: string): Condition => ({
  kind: 'equals',
  field: 'incarnation',
  value,
  why: 'incarnation',
});

// guard: generation
export const generationIs = (value: number): Condition => ({
  kind: 'equals',
  field: 'generation',
  value,
  why: 'generation',
});

// guard: version
export const versionIs = (value: number): Condition => ({
  kind: 'equals',
  field: 'version',
  value,
  why: 'version',
});

// guard: status
export const statusIs = (value: JobRow['status']): Condition => ({
  kind: 'equals',
  field: 'status',
  value,
  why: 'status',
});

// guard: cancel-request
export const noCancelRequest: Condition = {
  kind: 'absent',
  field: 'cancelRequestedAt',
  why: 'cancel-request',
};

// guard: lease
export const leaseOverBefore = (value: Instant): Condition => ({
  kind: 'less',
  field: 'leaseUntil',
  value,
  why: 'lease',
});

// guard: takeovers
export const takeoversSpent = (limit: number): Condition => ({
  kind: 'greater',
  field: 'takeovers',
  value: limit - 1,
  why: 'takeovers',
});

// guard: crash-span
export const firstTakeoverBefore = (value: Instant): Condition => ({
  kind: 'less',
  field: 'firstTakeoverAt',
  value,
  why: 'crash-span',
});

/** The fence on every write of an attempt: still this incarnation, this generation, and running. */
export const fence = (held: RunningJob): readonly Condition[] => [
  incarnationIs(held.incarnation),
  generationIs(held.generation),
  statusIs('running'),
];

/** The row is still the one that was read: for operators' verbs and for claims that answer to a row. */
export const asRead = (row: JobRow): readonly Condition[] => [
  incarnationIs(row.incarnation),
  generationIs(row.generation),
  statusIs(row.status),
];
