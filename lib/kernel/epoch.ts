import { Failure } from './failure.ts';

/** One invocation, or a part of it, as whoever sends on its behalf asks it: once it is over, it never opens again. */
export interface Epoch {
  /** Whether something may still be sent on its behalf; asked just before each request, retries included. */
  isOpen(): boolean;
}

/** Lets what has no epoch pass, such as an operator's verb. @throws Failure `epoch-over`, which no retry can mend */
export function checkOpen(epoch: Epoch | undefined): void {
  if (epoch === undefined || epoch.isOpen()) return;
  throw new Failure(
    'epoch-over',
    'the invocation that asked for this request is over, so it is not sent',
    { remedy: 'let-go' },
  );
}
