import { type Bid, type Claim, claimed, firstAsk, nextAsk } from '../job/claim.ts';
import type { Epoch } from '../kernel/epoch.ts';
import type { World } from '../ports/world.ts';
import { surely } from './surely.ts';

/** How often an ask follows the row when it moves; every move is somebody else's success. */
const tries = 8;

/** Asks for a job until the row gives an answer; one write on the happy path. */
export async function claimJob(
  bid: Bid,
  world: Pick<World, 'store' | 'clock' | 'random'>,
  epoch: Epoch,
): Promise<Claim> {
  let step = firstAsk(bid);
  for (let done = 0; done < tries && step.kind === 'write'; done++) {
    const commit = await surely(world, [step.write], epoch);
    if (commit.kind === 'unknown') return commit;
    if (commit.kind === 'committed') return claimed(step, commit.row);
    step = nextAsk(bid, commit.old);
  }
  return step.kind === 'answer' ? step.claim : { kind: 'held', until: bid.now };
}
