import type { JobId } from '../../lib/kernel/brand.ts';
import type { CountedKind } from '../../lib/kernel/counted.ts';
import { permanent } from '../../lib/kernel/failure.ts';
import type { Happening } from '../../lib/kernel/happening.ts';
import { seconds } from '../../lib/kernel/time.ts';
import { at } from '../job/rows.ts';

const failure = permanent('no-total', 'total is missing', {
  facts: { field: 'total' },
  cause: new Error('secret'),
});
const message = { at: at(7), queue: 'commands.fifo', group: 'tenant-a', messageId: 'm-1' };
const job = { at: at(7), job: 'copy#a#1' as JobId, groupId: 'tenant-a', generation: 2 };
const event = { at: at(7), target: 'events', event: 'e-1', failure };

const group = { at: at(7), queue: 'orders.fifo', group: 'tenant-a', waiting: 1 };

const gap = { at: at(7), projection: 'totals', job: job.job, incarnation: 'I', from: 2, to: 3 };

/** One happening of each kind that must be counted. */
export const counted: Readonly<Record<CountedKind, Happening>> = {
  'write-fenced': { ...job, kind: 'write-fenced', what: 'progress', by: 3 },
  'job-taken-over': { ...job, kind: 'job-taken-over', silentFor: seconds(70) },
  'job-finished-for': { ...job, kind: 'job-finished-for', silentFor: seconds(70) },
  'manifest-ignored': { ...job, kind: 'manifest-ignored', failure },
  'orphans-collected': { kind: 'orphans-collected', at: at(7), count: 4 },
  'event-set-aside': { ...event, kind: 'event-set-aside' },
  'publish-held': { ...event, kind: 'publish-held' },
  'command-let-go': { ...message, kind: 'command-let-go', because: 'gone' },
  'message-dead-lettered': { ...message, kind: 'message-dead-lettered', attempt: 4, failure },
  'group-parked': { ...group, kind: 'group-parked' },
  'group-released': { ...group, kind: 'group-released' },
  'message-dropped': { ...message, kind: 'message-dropped', because: 'sent by mistake' },
  'gap-seen': { ...gap, kind: 'gap-seen' },
  'gap-filled': { ...gap, kind: 'gap-filled' },
  'gap-resynced': { ...gap, kind: 'gap-resynced' },
};

/** What fails in the usual way: it prints, and nothing counts it. */
export const failing: readonly Happening[] = [
  { ...message, kind: 'message-failed', attempt: 2, failure },
  { ...message, kind: 'message-parked', attempt: 2, failure },
  { ...job, kind: 'job-failed', failure },
];

/** What reconcile reports: it prints, for the numbers in it. */
export const reported: readonly Happening[] = [
  { kind: 'events-reconciled', at: at(7), count: 2 },
  {
    ...{ kind: 'backlog', at: at(7), oldest: seconds(600) },
    ...{ unproved: 1, aside: 2, idle: 3, unprovable: 0 },
  },
];

/** What goes well, or is told elsewhere. */
export const silent: readonly Happening[] = [
  { ...message, kind: 'message-done', took: seconds(1) },
  { ...message, kind: 'message-repeated', took: seconds(1) },
  { ...message, kind: 'message-held-back', behind: 'm-0' },
  { ...message, kind: 'message-out-of-time', behind: undefined },
  { at: at(7), kind: 'event-repeated', consumer: 'mail', event: 'e-1', type: 'copy.failed' },
  { at: at(7), kind: 'event-stale', consumer: 'mail', event: 'e-1', type: 'copy.failed' },
  { at: at(7), kind: 'event-ignored', consumer: 'mail', event: 'e-1', type: 'copy.failed' },
  { ...job, kind: 'job-submitted' },
  { ...job, kind: 'job-claimed' },
  { ...job, kind: 'job-released' },
  { ...job, kind: 'job-succeeded' },
  { ...job, kind: 'job-cancelled' },
  { kind: 'events-published', at: at(7), count: 9, oldest: seconds(1) },
];
