import type { Happening } from './happening.ts';

/** What is told of parking, which no handler does yet. */
type Coming = 'message-dead-lettered' | 'group-parked';

/** The kinds that an operator must count: each is rare, so each prints a line, and alarms and dashboard count the lines. */
export const countedKinds = [
  'write-fenced',
  'job-taken-over',
  'orphans-collected',
  'event-set-aside',
  'publish-held',
  'command-let-go',
  'message-dead-lettered',
  'group-parked',
] as const satisfies readonly (Happening['kind'] | Coming)[];

/** The kind of a happening that must be counted. */
export type CountedKind = (typeof countedKinds)[number];

/** Whether each happening of a kind must be counted. */
export const isCounted = (kind: string): kind is CountedKind =>
  countedKinds.some((one) => one === kind);
