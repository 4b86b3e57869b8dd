import { aws_cloudwatch as cloudwatch, Duration } from 'aws-cdk-lib';
import type { Counted, Counts } from './counts.ts';
import type { Reconcile } from './reconcile.ts';
import { type AllWatched, longestWait, every as watchedEvery } from './watched.ts';

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

/** What is watched of reconcile, and of what it finds. */
export const watchedReconcile = (
  { every, function: run }: Reconcile,
  counts: Counts,
): AllWatched => {
  const two = Duration.minutes(2 * every.toMinutes());
  const found = (kind: Counted) =>
    counts.metric(kind, { statistic: cloudwatch.Stats.MAXIMUM, period: every });
  return {
    EventsAreReconciled: {
      metric: counts.metric('events-reconciled'),
      threshold: 1,
      anchor: 'lost-events',
      says: 'Reconcile had to send what the relay had not: nothing is lost, and something loses it. Look for a mapping that was disabled, a stream that was made anew, a relay that died, or a target that was away.',
    },
    EventsAreUnproved: {
      metric: found('backlog-oldest'),
      threshold: two.toMilliseconds() + longestWait.toMilliseconds(),
      anchor: 'lost-events',
      says: 'An event has waited for longer than two runs of reconcile, and nothing proves that it was published. Look at what its target answers, and at reconcile’s own log.',
    },
    EventsStaySetAside: {
      metric: found('backlog-aside'),
      threshold: 1,
      anchor: 'set-aside',
      says: 'Events lie set aside, and their target refuses them still: whoever consumes them lacks them. outbox backlog says which, and why.',
    },
    JobsAreIdle: {
      metric: found('backlog-idle'),
      threshold: 1,
      anchor: 'idle-jobs',
      says: 'Nobody worked on a job for an hour, so its command was sent again. Look for a paused queue, dead letters, and workers that fall silent.',
    },
    ReconcileFails: {
      metric: run.metricErrors({ period: watchedEvery }),
      threshold: 1,
      anchor: 'reconcile',
      says: 'Reconcile ended with an error; the next run goes on where it stopped. Look at its log.',
    },
    ReconcileDoesNotRun: {
      metric: counts.metric('backlog', { period: two }),
      threshold: 1,
      isLeast: true,
      anchor: 'reconcile',
      says: 'Reconcile has not come to an end for twice as long as its schedule: what the stream loses stays lost meanwhile. Look at its log and its schedule.',
    },
  };
};
