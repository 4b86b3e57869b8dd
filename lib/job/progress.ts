import type { Instant } from '../kernel/brand.ts';
import type { Json } from '../kernel/json.ts';
import { tables } from '../kernel/settings.ts';
import type { Condition, Write } from '../ports/store.ts';
import { fence } from './guards.ts';
import { keyOf, type RunningJob } from './job.ts';

/** Shows a note; not a visible change of state, so the version stays and the relay isn't woken. */
export const progressed = (held: RunningJob, note: Json): Write => ({
  table: tables.jobs,
  key: keyOf(held.id),
  when: fence(held),
  kind: 'update',
  set: { progress: note },
  remove: ['news'],
});

// guard: lease-monotone
const endsEarlier = (until: Instant): Condition => ({
  kind: 'less',
  field: 'leaseUntil',
  value: until,
  why: 'lease-monotone',
});

/** Holds the job for longer, where a runtime outlives its own deadline; never shortens a lease and never touches the version. */
export const renewal = (held: RunningJob, until: Instant): Write => ({
  table: tables.jobs,
  key: keyOf(held.id),
  when: [...fence(held), endsEarlier(until)],
  kind: 'update',
  set: { leaseUntil: until },
  remove: ['news'],
});
