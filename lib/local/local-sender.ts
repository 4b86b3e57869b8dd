import { checkRequest } from '../kernel/check-request.ts';
import type { Epoch } from '../kernel/epoch.ts';
import { isFailure } from '../kernel/failure.ts';
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

  knows(target: string): boolean {
    return this.#targets.has(target);
  }

  async send(
    target: string,
    entries: readonly Entry[],
    epoch?: Epoch,
  ): Promise<readonly Verdict[]> {
    checkRequest(entries);
    const to = this.#targets.get(target);
    if (to === undefined)
      return entries.map(() => ({ kind: 'outage', why: `there is no target "${target}"` }));
    if (epoch?.isOpen() === false)
      return entries.map(() => ({ kind: 'outage', why: 'the invocation that sends is over' }));
    return entries.map((entry) => sent(to, entry));
  }
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
