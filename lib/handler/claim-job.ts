import {
  type Ask,
  afterLook,
  type Bid,
  type Claim,
  type ClaimStep,
  claimed,
  firstAsk,
  nextAsk,
} from '../job/claim.ts';
import type { RunningJob } from '../job/job.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { isFailure } from '../kernel/failure.ts';
import type { Commit } from '../ports/store.ts';
import type { World } from '../ports/world.ts';
import { tellIgnored } from './job-tellings.ts';
import { finishedBy } from './manifest.ts';
import { surely } from './surely.ts';

/** How often an ask follows the row when it moves; every move is somebody else's success. */
const tries = 8;

/** What a claim needs from outside. */
type Parts = Pick<World, 'store' | 'bucket' | 'clock' | 'random' | 'observe'>;

/** Asks for a job until the row gives an answer; one write on the happy path. */
export async function claimJob(bid: Bid, world: Parts, epoch: Epoch): Promise<Claim> {
  let step: ClaimStep = firstAsk(bid);
  for (let done = 0; done < tries && step.kind !== 'answer'; done++) {
    const { ask, commit }: Asked =
      step.kind === 'look'
        ? await finishedFor(bid, step.job, { world, epoch })
        : { ask: step, commit: await surely(world, [step.write], epoch) };
    if (commit.kind === 'unknown') return commit;
    if (commit.kind === 'committed') return claimed(ask, commit.row);
    step = nextAsk(bid, commit.old);
  }
  return step.kind === 'answer' ? step.claim : { kind: 'held', until: bid.now };
}

interface Asked {
  readonly ask: Ask;
  readonly commit: Commit;
}

/** Looks and asks; a completion that no store will ever take is let go, and the job asked for as if nothing had been finished. */
async function finishedFor(
  bid: Bid,
  job: RunningJob,
  { world, epoch }: { readonly world: Parts; readonly epoch: Epoch },
): Promise<Asked> {
  const ask = afterLook(bid, job, await finishedBy(job, world));
  try {
    return { ask, commit: await surely(world, [ask.write], epoch) };
  } catch (thrown) {
    if (ask.means !== 'finished-for' || !isFailure(thrown) || thrown.remedy !== 'dead-letter')
      throw thrown;
    tellIgnored(world, job, thrown);
    const other = afterLook(bid, job, undefined);
    return { ask: other, commit: await surely(world, [other.write], epoch) };
  }
}
