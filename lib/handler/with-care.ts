import type { Outcome } from '../kernel/outcome.ts';
import { releaseAttribute, releaseOf } from '../retry/release.ts';
import type { Care } from './care.ts';
import { cared, type Handle, troubled } from './cared.ts';
import { deadLettered } from './dead-lettered.ts';
import { type InTurn, Parking, parkNeedsFifo } from './parking.ts';
import { queueOf } from './place-of.ts';
import type { One } from './queue-handler.ts';
import { released } from './released.ts';

/** What one invocation does for its messages: releases, parked groups, and the handler's own code with care. */
export function withCare(care: Care, handle: Handle): One {
  const parking = new Parking(care);
  return async (message, turn) => {
    try {
      const asked = message.record.messageAttributes?.[releaseAttribute]?.stringValue;
      const release = care.counts === undefined ? undefined : releaseOf(asked);
      if (release !== undefined)
        return await released({ care, parking, handle, release, message, turn });
      return await oneMessage({ care, parking, handle }, { message, turn });
    } catch (thrown) {
      return troubled(care, message, thrown);
    }
  };
}

async function oneMessage(
  by: { readonly care: Care; readonly parking: Parking; readonly handle: Handle },
  at: InTurn,
): Promise<Outcome> {
  const { care, parking, handle } = by;
  switch (care.poison) {
    case 'dead-letter':
      return cared(care, at, {
        handle,
        onPoison: (poisoned, failure) => deadLettered(care.world, poisoned, failure),
      });
    case 'block':
      return cared(care, at, {
        handle,
        onPoison: async (_, failure) => ({ kind: 'failed', failure, wait: care.retry.cap }),
      });
    case 'park': {
      if (at.message.sequenceNumber === undefined) throw parkNeedsFifo(queueOf(at.message));
      const group = await parking.group(at.message);
      if (group.state === 'parked') return parking.storeBehind(at, group);
      return cared(care, at, {
        handle,
        onPoison: (poisoned, failure) => parking.park(poisoned, failure),
      });
    }
  }
}
