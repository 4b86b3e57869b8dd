import {
  afterLook,
  type Bid,
  type Claim,
  type ClaimStep,
  claimed,
  firstAsk,
  nextAsk,
} from '../job/claim.ts';
import type { Epoch } from '../kernel/epoch.ts';
import type { World } from '../ports/world.ts';
import { finishedBy } from './manifest.ts';
import { surely } from './surely.ts';

/** How often an ask follows the row when it moves; every move is somebody else's success. */
const tries = 8;

/** Asks for a job until the row gives an answer; one write on the happy path. */
export async function claimJob(
  bid: Bid,
  world: Pick<World, 'store' | 'bucket' | 'clock' | 'random' | 'observe'>,
  epoch: Epoch,
): Promise<Claim> {
  let step: ClaimStep = firstAsk(bid);
  for (let done = 0; done < tries && step.kind !== 'answer'; done++) {
    const ask =
      step.kind === 'look' ? afterLook(bid, step.job, await finishedBy(step.job, world)) : step;
    const commit = await surely(world, [ask.write], epoch);
    if (commit.kind === 'unknown') return commit;
    if (commit.kind === 'committed') return claimed(ask, commit.row);
    step = nextAsk(bid, commit.old);
  }
  return step.kind === 'answer' ? step.claim : { kind: 'held', until: bid.now };
}
