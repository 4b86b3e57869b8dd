import type { Claim } from '../job/claim.ts';
import type { JobRow, RunningJob } from '../job/job.ts';
import type { Instant } from '../kernel/brand.ts';
import { type Failure, permanent } from '../kernel/failure.ts';
import { between } from '../kernel/time.ts';
import type { World } from '../ports/world.ts';
import type { Ended } from './end-job.ts';
import type { Message } from './message.ts';

/** A claim was granted. */
export function tellClaim(
  world: World,
  claim: Claim & { readonly kind: 'granted' | 'mine' },
): void {
  const job = aboutJob(world, claim.job);
  if (claim.kind === 'granted' && claim.takenOver !== undefined)
    world.observe({ ...job, kind: 'job-taken-over', silentFor: claim.takenOver });
  world.observe({ ...job, kind: 'job-claimed' });
}

type Over = Claim & { readonly kind: 'finished' | 'cancelled' | 'worn-out' };

/** A command met a job that is over: just now by this claim, or before, and then the command is a repeat. */
export function tellOver(
  world: World,
  claim: Over,
  { message, since }: { readonly message: Message<string>; readonly since: Instant },
): void {
  if (!claim.now) {
    const took = between(since, world.clock.now());
    world.observe({ ...aboutMessage(world, message), kind: 'message-repeated', took });
    return;
  }
  const job = aboutJob(world, claim.job);
  if (claim.kind === 'cancelled') world.observe({ ...job, kind: 'job-cancelled' });
  else if (claim.job.status === 'failed') {
    const { code, message: text, facts } = claim.job.failure;
    world.observe({ ...job, kind: 'job-failed', failure: permanent(code, text, { facts }) });
  }
}

/** A claim completed a job for its silent owner; when that was, the lease still says. */
export function tellFinishedFor(world: World, row: JobRow): void {
  const job = aboutJob(world, row);
  const silentFor = between(row.leaseUntil ?? job.at, job.at);
  world.observe({ ...job, kind: 'job-finished-for', silentFor });
  world.observe({ ...job, kind: 'job-succeeded' });
}

/** What lies where a silent owner's manifest would lie is none, so the job is taken over. */
export const tellIgnored = (
  world: Pick<World, 'clock' | 'observe'>,
  row: JobRow,
  failure: Failure,
): void => world.observe({ ...aboutJob(world, row), kind: 'manifest-ignored', failure });

/** A command's job isn't there any more, so the command is let go. */
export const tellGone = (world: World, message: Message<string>): void =>
  world.observe({ ...aboutMessage(world, message), kind: 'command-let-go', because: 'gone' });

/** An attempt ended its job, or gave it back. */
export function tellEnded(world: World, row: RunningJob, { ending, decision }: Ended): void {
  const job = aboutJob(world, row);
  if (ending === 'succeeded') world.observe({ ...job, kind: 'job-succeeded' });
  else if (ending === 'cancelled') world.observe({ ...job, kind: 'job-cancelled' });
  else if (ending === 'queued') world.observe({ ...job, kind: 'job-released' });
  else if (decision.failure !== undefined)
    world.observe({ ...job, kind: 'job-failed', failure: decision.failure });
}

const aboutMessage = ({ clock }: World, message: Message<string>) => ({
  at: clock.now(),
  queue: message.record.eventSourceARN,
  group: message.group,
  messageId: message.id,
});

const aboutJob = ({ clock }: Pick<World, 'clock'>, { id, groupId, generation }: JobRow) => ({
  at: clock.now(),
  job: id,
  groupId,
  generation,
});
