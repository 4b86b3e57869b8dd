import { type Answer, answered } from '../job/answer.ts';
import { fits } from '../job/appended.ts';
import { asEnded, type Ending, ending } from '../job/ending.ts';
import type { Limits } from '../job/job.ts';
import type { Failure } from '../kernel/failure.ts';
import { isFailure, permanent, transient } from '../kernel/failure.ts';
import type { Held } from './attempt.ts';
import { counted, type Decision, failed } from './job-decision.ts';
import { manifestText } from './manifest.ts';
import { surely } from './surely.ts';

/** What became of an attempt, and the decision that it came to in the end. */
export interface Ended {
  readonly ending: Ending['kind'];
  readonly decision: Decision;
  readonly answer: Exclude<Answer, { readonly kind: 'alongside-refused' }>;
}

/** How often an ending is decided anew when somebody who may has changed the row. */
const tries = 4;

/** Commits a decision; what can't be committed as it is ends as a failure that says why. */
export async function endJob(held: Held, decision: Decision, limits: Limits): Promise<Ended> {
  const { ending: asked } = decision;
  if (asked.kind === 'succeeded' && !fits(asked.data))
    return endJob(held, failed(tooLarge()), limits);
  if (asked.kind === 'succeeded' && held.finish)
    await held.leaveManifest(manifestText(held.job, asked));
  const answer = await committed(held, decision).catch((thrown: unknown) =>
    refusedAsIs(asked, thrown),
  );
  if (isFailure(answer)) return endJob(held, failed(answer), limits);
  if (answer.kind === 'alongside-refused')
    return endJob(held, counted(alongsideRefused(answer.index), held, limits), limits);
  return { ending: asEnded(held.job, asked).kind, decision, answer };
}

async function committed(held: Held, { ending: asked, alongside }: Decision): Promise<Answer> {
  let answer: Answer = { kind: 'moved', job: held.job };
  for (let done = 0; done < tries && answer.kind === 'moved'; done++) {
    held.moved(answer.job);
    const { job } = held;
    const promoted = asked.kind === 'succeeded' ? asked.result?.key : undefined;
    const at = held.world.clock.now();
    const write = ending(job, asked, { at, leavesOrphans: held.leavesOrphans(promoted) });
    const commit = await surely(held.world, [write, ...alongside], held.turn.invocation);
    answer = answered(job, asEnded(job, asked).kind, commit);
  }
  return answer;
}

/** A write that no store will ever take ends the job as failed; where that one isn't taken either, or in any other trouble, the message comes back. */
function refusedAsIs({ kind }: Ending, thrown: unknown): Failure {
  if (kind !== 'failed' && isFailure(thrown) && thrown.remedy === 'dead-letter') return thrown;
  throw thrown;
}

const tooLarge = (): Failure =>
  permanent(
    'event-too-large',
    'the data of a completion has at most 64 KB as JSON: put it in the result and say there where it is',
  );

const alongsideRefused = (index: number): Failure =>
  transient(
    'alongside-refused',
    `the condition of alongside[${index}] does not hold, so the job was not completed`,
    { facts: { index } },
  );
