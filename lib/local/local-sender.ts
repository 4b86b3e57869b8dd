import { isFailure, permanent } from '../kernel/failure.ts';
import type { Entry, Sender, Verdict } from '../ports/sender.ts';
import type { Sending } from './queue-message.ts';

/** A queue or a topic. */
export interface Target {
  send(sending: Sending): unknown;
}

/** A {@link Sender} to queues and topics in memory. */
export class LocalSender implements Sender {
  readonly #targets: ReadonlyMap<string, Target>;

  constructor(targets: ReadonlyMap<string, Target>) {
    this.#targets = targets;
  }

  async send(target: string, entries: readonly Entry[]): Promise<readonly Verdict[]> {
    checkRequest(entries);
    const to = this.#targets.get(target);
    if (to === undefined)
      return entries.map(() => ({ kind: 'outage', why: `there is no target "${target}"` }));
    return entries.map((entry) => sent(to, entry));
  }
}

/** @throws Failure for a request that no caller may make: it could invert a group */
function checkRequest(entries: readonly Entry[]): void {
  const groups = new Set(entries.map(({ group }) => group));
  if (entries.length >= 1 && entries.length <= 10 && groups.size === entries.length) return;
  throw permanent(
    'request-invalid',
    `a request has 1 to 10 entries of as many groups, got ${entries.length} of ${groups.size}`,
  );
}

function sent(to: Target, { id, group, body, attributes }: Entry): Verdict {
  try {
    to.send({ body, group, dedupId: id, ...(attributes ? { attributes } : {}) });
    return { kind: 'sent' };
  } catch (thrown) {
    if (isFailure(thrown)) return { kind: 'refused', why: thrown.message };
    throw thrown;
  }
}
