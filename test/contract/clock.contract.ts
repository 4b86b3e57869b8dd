import { describe, expect, it } from 'vitest';
import type { Duration, Instant } from '../../lib/kernel/brand.ts';
import { later, milliseconds, seconds } from '../../lib/kernel/time.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** A clock under contract. */
export interface ClockAtHand {
  readonly clock: Clock;
  /** Lets so much time go by on it, and what falls due run. */
  pass(length: Duration): Promise<void>;
}

/** What every clock promises. */
export function clockContract(name: string, open: () => ClockAtHand): void {
  const soon = (clock: Clock, length: Duration): Instant => later(clock.now(), length);

  describe(`the clock contract, kept by ${name}`, () => {
    it('says how much time went by', async () => {
      const { clock, pass } = open();
      const before = clock.now();

      await pass(seconds(3));

      expect(clock.now()).toBe(later(before, seconds(3)));
    });

    it('rings an alarm once, at its time and not before', async () => {
      const { clock, pass } = open();
      const rung: number[] = [];
      const at = soon(clock, seconds(5));
      clock.alarm(at, () => rung.push(clock.now()));

      await pass(milliseconds(4_999));
      expect(rung).toEqual([]);

      await pass(seconds(60));
      expect(rung).toEqual([at]);
    });

    it('rings alarms in order of time', async () => {
      const { clock, pass } = open();
      const rung: string[] = [];
      clock.alarm(soon(clock, seconds(3)), () => rung.push('late'));
      clock.alarm(soon(clock, seconds(1)), () => rung.push('soon'));
      clock.alarm(soon(clock, seconds(2)), () => rung.push('then'));

      await pass(seconds(3));

      expect(rung).toEqual(['soon', 'then', 'late']);
    });

    it('rings an alarm whose time is over without delay, but never inside the call that sets it', async () => {
      const { clock, pass } = open();
      const rung: number[] = [];
      const start = clock.now();

      clock.alarm((start - 1_000) as Instant, () => rung.push(clock.now() - start));
      expect(rung).toEqual([]);

      await pass(milliseconds(1));
      expect(rung).toHaveLength(1);
      expect(rung[0]).toBeLessThanOrEqual(1);
    });

    it('rings no alarm that was cancelled, also by one that rings at the same time', async () => {
      const { clock, pass } = open();
      const rung: string[] = [];
      const at = soon(clock, seconds(1));
      let cancel = (): void => {};
      clock.alarm(at, () => cancel());
      cancel = clock.alarm(at, () => rung.push('cancelled'));
      clock.alarm(at, () => rung.push('kept'));

      await pass(seconds(2));

      expect(rung).toEqual(['kept']);
    });

    it('rings an alarm that another one set while ringing', async () => {
      const { clock, pass } = open();
      const start = clock.now();
      const rung: number[] = [];
      clock.alarm(soon(clock, seconds(1)), () => {
        clock.alarm(soon(clock, seconds(1)), () => rung.push(clock.now() - start));
      });

      await pass(seconds(3));

      expect(rung).toEqual([seconds(2)]);
    });

    it('sleeps as long as asked', async () => {
      const { clock, pass } = open();
      const start = clock.now();
      let woke: number | undefined;
      const asleep = clock.sleep(seconds(2)).then(() => {
        woke = clock.now() - start;
      });

      await pass(milliseconds(1_999));
      expect(woke).toBeUndefined();

      await pass(milliseconds(1));
      await asleep;
      expect(woke).toBe(seconds(2));
    });

    it.each(['before', 'during'] as const)(
      'wakes early, without an error, for a signal that fires %s the sleep',
      async (when) => {
        const { clock } = open();
        const start = clock.now();
        const control = new AbortController();
        if (when === 'before') control.abort(new Error('enough'));

        const asleep = clock.sleep(seconds(60), control.signal);
        control.abort(new Error('enough'));
        await asleep;

        expect(clock.now() - start).toBeLessThan(seconds(60));
      },
    );
  });
}
