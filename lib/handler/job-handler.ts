import type { Bid } from '../job/claim.ts';
import type { JobRow } from '../job/job.ts';
import type { Duration, Instant } from '../kernel/brand.ts';
import { type Envelope, envelopeOf } from '../kernel/envelope.ts';
import { type Failure, isFailure, permanent, transient } from '../kernel/failure.ts';
import { never } from '../kernel/never.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { lengths } from '../kernel/settings.ts';
import { between, later, seconds, shorter, sum } from '../kernel/time.ts';
import type { World } from '../ports/world.ts';
import type { BatchSettings } from './batch-settings.ts';
import { checkDeadLetters } from './care.ts';
import { claimJob } from './claim-job.ts';
import { deadLettered } from './dead-lettered.ts';
import type { DefinedJob, Job } from './define-job.ts';
import { tellClaim, tellFinishedFor, tellGone, tellOver } from './job-tellings.ts';
import type { Message } from './message.ts';
import { queueHandler, type SqsHandler } from './queue-handler.ts';
import { remainingOf } from './remaining-of.ts';
import { runJob } from './run-job.ts';
import type { OpenTurn } from './turn.ts';
import { heldBack, trouble } from './waiting.ts';
import { type Worker, type WorkerRetry, workerOf } from './worker.ts';

/** How a worker runs its batches; a job's attempts are its own limits, not its queue's. */
export type JobHandlerSettings = BatchSettings & { readonly retry?: WorkerRetry };

/**
 * Works on the commands of one or several kinds of job: claims, runs, commits; a superseded worker reports its record as
 * failed, so that the message comes back and meets the finished job.
 *
 * @throws Failure at start for a job that {@link defineJob} didn't make, for two of one name, and `numbers-disagree` for numbers that can't be right where it runs
 * @example
 * export const handler = jobHandler(exportJob, onAws());
 */
export function jobHandler(
  job: Job | readonly Job[],
  world: World,
  settings: JobHandlerSettings = {},
): SqsHandler {
  const jobs: readonly Job[] = isList(job) ? job : [job];
  const worker = workerOf(jobs, world, settings);
  checkDeadLetters(worker.world);
  return queueHandler(settings, worker.world, () => async (message, turn) => {
    try {
      const command = read(message);
      if (isFailure(command)) return await deadLettered(worker.world, { message, turn }, command);
      return await oneCommand(worker, command, { message, turn });
    } catch (thrown) {
      return trouble(worker, message, thrown);
    }
  });
}

/** A command, or why it isn't one: nothing else on a job's queue is poison. */
function read({ body }: Message<string>): Command | Failure {
  try {
    const envelope = envelopeOf(body);
    return { ...envelope, kind: kindOf(envelope) };
  } catch (thrown) {
    if (isFailure(thrown)) return thrown;
    throw thrown;
  }
}

type Command = Envelope & { readonly kind: string };

const isList = (job: Job | readonly Job[]): job is readonly Job[] => Array.isArray(job);

async function oneCommand(
  worker: Worker,
  command: Command,
  { message, turn }: { readonly message: Message<string>; readonly turn: OpenTurn },
): Promise<Outcome> {
  const { world } = worker;
  const job = worker.kinds.get(command.kind);
  if (job === undefined) return heldBack(lengths.longestHeld);
  const bid = bidFor(command, job, { world, turn });
  const claim = await claimJob(bid, world, turn);
  switch (claim.kind) {
    case 'granted':
    case 'mine':
      tellClaim(world, claim);
      return runJob(worker, { job, message, turn, row: claim.job });
    case 'held':
      return heldBack(heldFor(world, claim.until));
    case 'newer':
      return heldBack(lengths.longestHeld);
    case 'finished':
    case 'cancelled':
    case 'worn-out':
      tellOver(world, claim, { message, since: bid.now });
      return { kind: 'done' };
    case 'finished-for':
      tellFinishedFor(world, claim.job);
      return { kind: 'done' };
    case 'gone':
      tellGone(world, message);
      return { kind: 'done' };
    case 'unknown':
      return trouble(worker, message, transient('claim-unconfirmed', 'no reply came to a claim'));
    default:
      return never(claim);
  }
}

/** The owner usually ends before his lease does, and the group waits: so not longer than a minute. */
const heldFor = ({ clock }: World, until: Instant): Duration =>
  shorter(sum(between(clock.now(), until), seconds(1)), lengths.longestHeld);

/** What a job's id has behind its kind, so that `a-b-…` is never taken for a job of kind `a`. */
const digits = /^[0-9a-f]{32}$/;

function kindOf(command: Envelope): string {
  const kind = command.type.endsWith('.run') ? command.type.slice(0, -'.run'.length) : '';
  const { subject } = command;
  if (kind !== '' && subject.startsWith(`${kind}-`) && digits.test(subject.slice(kind.length + 1)))
    return kind;
  throw permanent(
    'not-a-command',
    `a command has the type "<kind>.run" and the id of a job of that kind, got ${JSON.stringify(command.type.slice(0, 100))}`,
  );
}

function bidFor(
  command: Envelope,
  job: DefinedJob,
  { world, turn }: { readonly world: World; readonly turn: OpenTurn },
): Bid {
  const now = world.clock.now();
  const slack = sum(lengths.requestTimeout, lengths.skew);
  return {
    id: command.subject as JobRow['id'],
    incarnation: command.incarnation,
    attemptId: world.random.ulid(),
    now,
    leaseUntil: later(now, sum(runsFor(turn, job), slack)),
    limits: job.limits,
    finish: job.finish,
  };
}

/** How long an attempt can last: until Lambda ends it, or until the job's own limit and the grace behind it. */
function runsFor({ context }: OpenTurn, job: DefinedJob): Duration {
  const own = sum(job.limits.attempt, lengths.grace);
  const left = remainingOf(context);
  return left === undefined ? own : shorter(own, Math.max(0, left) as Duration);
}
