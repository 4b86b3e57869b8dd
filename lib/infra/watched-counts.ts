import { Duration } from 'aws-cdk-lib';
import type { Counts } from './counts.ts';
import type { AllWatched } from './watched.ts';

const hour = Duration.hours(1);

/** What is watched of jobs: their fence, their commands, their events and their orphans. */
export const watchedJobs = (counts: Counts): AllWatched => ({
  WritesAreFenced: {
    metric: counts.metric('write-fenced'),
    threshold: 10,
    anchor: 'fenced-writes',
    says: 'Ten writes of stale attempts were refused in 5 minutes. One now and then is the fence doing its work; many mean that attempts lose their jobs while they run: look for workers that freeze or run out of time, and for clocks that differ.',
  },
  CommandsAreLetGo: {
    metric: counts.metric('command-let-go'),
    threshold: 1,
    anchor: 'let-go',
    says: 'A command was let go, since its job is not there any more: nothing ran. Find out who deleted the row.',
  },
  EventsAreSetAside: {
    metric: counts.metric('event-set-aside'),
    threshold: 1,
    anchor: 'set-aside',
    says: 'A target refused an event for good, so it was set aside in the ledger, and later events went on. This alarm ends by itself, the event stays: mend the cause, then publish it again.',
  },
  ManyOrphans: {
    metric: counts.metric('orphans-collected', { period: hour }),
    threshold: 100,
    anchor: 'orphans',
    says: 'A hundred orphans were collected in an hour: attempts make results that never come true. Look at what the workers fail with.',
  },
});

/** What is watched wherever messages may be parked. */
export const watchedGroups = (counts: Counts): AllWatched => ({
  GroupsAreParked: {
    metric: counts.metric('group-parked'),
    threshold: 1,
    anchor: 'parked-groups',
    says: 'A group was parked: its messages are kept in order and nothing of it is handled. This alarm ends by itself, the group stays parked: mend the cause, then release it.',
  },
});

/** What is watched where `doctor` looks at the stack. */
export const watchedDoctor = (counts: Counts): AllWatched => ({
  DoctorFindsSomething: {
    metric: counts.metric('doctor-finding'),
    threshold: 1,
    anchor: 'doctor',
    says: 'Doctor found what disagrees with the stack, such as a mapping that is disabled or reads another stream: each finding is a line in its log, with its remedy.',
  },
  DoctorDoesNotLook: {
    metric: counts.metric('doctor-looked', { period: hour }),
    threshold: 1,
    isLeast: true,
    anchor: 'doctor',
    says: 'Doctor has not looked for an hour, so nobody knows whether the stack is whole: look at its log and its schedule.',
  },
});
