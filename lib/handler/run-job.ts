import type { RunningJob } from '../job/job.ts';
import { isFailure, permanent, transient } from '../kernel/failure.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { spokenIssues } from '../kernel/schema.ts';
import type { World } from '../ports/world.ts';
import { backoff, soon } from '../retry/backoff.ts';
import { attemptOf, Held, isLost } from './attempt.ts';
import type { DefinedJob } from './define-job.ts';
import { type Ended, endJob } from './end-job.ts';
import { decided } from './job-decision.ts';
import { tellEnded } from './job-tellings.ts';
import { limitedTurn } from './limited-turn.ts';
import type { Message } from './message.ts';
import { objectText } from './object-text.ts';
import { ran } from './ran.ts';
import type { OpenTurn } from './turn.ts';
import { heldBack, outageWait, trouble } from './waiting.ts';
import type { Worker } from './worker.ts';

/** A claimed job, with the message that brought it and the turn that it has. */
export interface Run {
  readonly job: DefinedJob;
  readonly message: Message<string>;
  readonly turn: OpenTurn;
  readonly row: RunningJob;
}

/** Runs a claimed job's code and commits what it comes to. */
export async function runJob(worker: Worker, run: Run): Promise<Outcome> {
  const { world } = worker;
  const { job, row } = run;
  const { turn, end } = limitedTurn(run.turn, world.clock, job.limits.attempt);
  const held = new Held(world, turn, { row, finish: job.finish });
  try {
    const code = await ran(turn, async () =>
      job.run(attemptOf(held, await inputOf(job, row, world))),
    );
    held.close();
    if (held.lost !== undefined) return await lostOutcome(held);
    const decision = decided(code, held, { limits: job.limits, classify: worker.retry.classify });
    return await outcomeOf(worker, { run, held, ended: await endJob(held, decision, job.limits) });
  } finally {
    end();
  }
}

/** The input as the schema of this release reads it, from the JSON that was submitted. */
async function inputOf(job: DefinedJob, row: RunningJob, world: World): Promise<unknown> {
  const checked = await job.input['~standard'].validate(JSON.parse(await textOf(row, world)));
  if (checked.issues === undefined) return checked.value;
  throw permanent(
    'input-invalid',
    `the input of job "${job.name}" is not right for this release: ${spokenIssues(checked.issues)}`,
    { facts: { kind: job.name } },
  );
}

async function textOf({ input, inputKey }: RunningJob, { bucket }: World): Promise<string> {
  return inputKey === undefined ? (input ?? 'null') : objectText(bucket, inputKey);
}

interface Told {
  readonly run: Run;
  readonly held: Held;
  readonly ended: Ended;
}

async function outcomeOf(worker: Worker, told: Told): Promise<Outcome> {
  const { held, run, ended } = told;
  const { answer } = ended;
  if (isLost(answer)) {
    held.lose(answer, acts[ended.ending]);
    return lostOutcome(held);
  }
  if (answer.kind === 'unknown' || answer.kind === 'moved')
    return trouble(worker, run.message, unconfirmed());
  tellEnded(worker.world, held.job, ended);
  return ended.ending === 'queued' ? putBack(worker, told) : { kind: 'done' };
}

/** What a refused write was about to do, in the word of its act. */
const acts = {
  succeeded: 'complete',
  failed: 'fail',
  cancelled: 'cancel',
  queued: 'release',
} as const;

/** The job waits, and its command with it, in front of its group. */
function putBack(worker: Worker, { run, held, ended }: Told): Outcome {
  const { ending, failure = unconfirmed(), after } = ended.decision;
  const spends = ending.kind === 'queued' ? ending.spends : 'nothing';
  switch (spends) {
    case 'failures':
      return { kind: 'failed', failure, wait: after ?? counted(worker, held) };
    case 'releases':
      return heldBack(after ?? soon);
    case 'nothing':
      return { kind: 'failed', failure, wait: outageWait(worker.world, run.message) };
  }
}

const counted = ({ retry, world }: Worker, held: Held) =>
  backoff(held.job.failures + 1, retry, world.random);

/** Final is final: a cancelled job's command is done with. Any other loser reports a failure, and the message meets the row. */
async function lostOutcome(held: Held): Promise<Outcome> {
  await held.kept();
  if (held.lost?.kind === 'cancelled') return { kind: 'done' };
  const { reason } = held.turn.signal;
  const failure = isFailure(reason) ? reason : transient('superseded', 'the work was lost');
  return { kind: 'failed', failure, wait: soon };
}

const unconfirmed = () => transient('end-unconfirmed', 'no reply came to the end of a job');
