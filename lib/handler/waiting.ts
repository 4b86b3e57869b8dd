import type { Duration } from '../kernel/brand.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { between } from '../kernel/time.ts';
import type { World } from '../ports/world.ts';
import { outageBackoff } from '../retry/backoff.ts';
import { type Classify, classified } from '../retry/classified.ts';
import type { Message } from './message.ts';

/** Not a failure: the message waits, and its group behind it. */
export const heldBack = (wait: Duration): Outcome => ({
  kind: 'held-back',
  behind: undefined,
  wait,
});

/** An outage's own backoff, by how long the message has been on its way. */
export const outageWait = (
  { clock, random }: Pick<World, 'clock' | 'random'>,
  { sentAt }: Pick<Message<unknown>, 'sentAt'>,
): Duration => outageBackoff(between(sentAt, clock.now()), random);

/** Whose trouble it is: its world, its longest wait, and its own reading of what was thrown, if it has one. */
interface Troubled {
  readonly world: World;
  readonly retry: { readonly cap: Duration; readonly classify?: Classify | undefined };
}

/** What trouble outside of the user's own code comes to: an outage comes back by itself, what no retry can help waits as long as the cap. */
export function trouble(
  { world, retry }: Troubled,
  message: Message<string>,
  thrown: unknown,
): Outcome {
  const { failure } = classified(thrown, retry.classify);
  const wait = failure.remedy === 'dead-letter' ? retry.cap : outageWait(world, message);
  return { kind: 'failed', failure, wait };
}
