import type { Happening } from './happening.ts';

/** The kinds that an operator must count: each is rare, so each prints a line, and alarms and dashboard count the lines. */
export const countedKinds = [
  'write-fenced',
  'job-taken-over',
  'job-finished-for',
  'manifest-ignored',
  'orphans-collected',
  'event-set-aside',
  'publish-held',
  'command-let-go',
  'message-dead-lettered',
  'group-parked',
  'group-released',
  'message-dropped',
  'gap-seen',
  'gap-filled',
  'gap-resynced',
] as const;

/** The kind of a happening that must be counted. */
export type CountedKind = (typeof countedKinds)[number];

/** So that a kind with another name doesn't compile. */
const known: readonly Happening['kind'][] = countedKinds;

/** Kinds that print a line for the numbers in it: what reconcile sent, and what is left. */
const reportedKinds: readonly Happening['kind'][] = ['events-reconciled', 'backlog'];

/** Whether a happening of this kind is printed for its numbers. */
export const isReported = (kind: Happening['kind']): boolean => reportedKinds.includes(kind);

/** Whether a happening of this kind must be counted. */
export const isCounted = (kind: Happening['kind']): boolean => known.includes(kind);
