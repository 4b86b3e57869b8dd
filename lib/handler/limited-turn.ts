import type { Duration } from '../kernel/brand.ts';
import { transient } from '../kernel/failure.ts';
import { lengths } from '../kernel/settings.ts';
import { later, spoken } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { OpenTurn } from './turn.ts';

/** A turn that ends after `length` at the latest, as the invocation's own deadline would end it; `end` takes its alarms away. */
export function limitedTurn(
  turn: OpenTurn,
  clock: Clock,
  length: Duration,
): { readonly turn: OpenTurn; end(): void } {
  if (turn.remaining() <= length) return { turn, end: () => {} };
  const until = later(clock.now(), length);
  const cancelSignal = clock.alarm(until, () =>
    turn.abort(
      transient('deadline', `an attempt may take ${spoken(length)}: finish or give up now`),
    ),
  );
  const over = later(until, lengths.grace);
  let cancelOver = (): void => {};
  const tooLong = new Promise<void>((resolve) => {
    cancelOver = clock.alarm(over, resolve);
  });
  let isOver = false;
  const limited: OpenTurn = {
    get signal() {
      return turn.signal;
    },
    remaining: () => Math.min(turn.remaining(), Math.max(0, until - clock.now())) as Duration,
    context: turn.context,
    isOpen() {
      // Kept, since a machine's clock may be set back.
      isOver ||= clock.now() >= over;
      return !isOver && turn.isOpen();
    },
    abort: (reason) => turn.abort(reason),
    over: Promise.race([turn.over, tooLong]),
    invocation: turn.invocation,
  };
  return {
    turn: limited,
    end() {
      cancelSignal();
      cancelOver();
    },
  };
}
