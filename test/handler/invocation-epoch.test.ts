import { describe, expect, it } from 'vitest';
import { InvocationEpoch } from '../../lib/handler/invocation-epoch.ts';
import { limitedTurn } from '../../lib/handler/limited-turn.ts';
import { MessageTurn } from '../../lib/handler/turn.ts';
import type { Instant } from '../../lib/kernel/brand.ts';
import { seconds } from '../../lib/kernel/time.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** A machine's clock, which somebody may set back. */
function settable(): Clock & { at: number } {
  const clock = {
    at: 1_000,
    now: () => clock.at as Instant,
    alarm: () => () => {},
    sleep: async () => {},
  };
  return clock;
}

const context = (remaining: number) => ({ getRemainingTimeInMillis: () => remaining }) as never;

describe('the epoch of an invocation', () => {
  it('never opens again once it was over, though the clock is set back', () => {
    const clock = settable();
    const epoch = new InvocationEpoch(context(500), clock);
    clock.at = 1_500;
    expect(epoch.isOpen()).toBe(false);

    clock.at = 1_100;

    expect(epoch.isOpen()).toBe(false);
  });
});

describe('a turn whose attempt is limited', () => {
  it('never opens again once it was over, though the clock is set back', () => {
    const clock = settable();
    const epoch = new InvocationEpoch(context(60_000), clock);
    const bounds = { context: context(60_000), clock, until: undefined, epoch };
    const whole = new MessageTurn({ ...bounds, over: new Promise(() => {}) });
    const { turn } = limitedTurn(whole, clock, seconds(5));
    clock.at = 10_000;
    expect(turn.isOpen()).toBe(false);

    clock.at = 1_100;

    expect(turn.isOpen()).toBe(false);
    expect(whole.isOpen()).toBe(true);
  });
});
