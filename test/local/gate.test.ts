import { describe, expect, it } from 'vitest';
import { FaultPlan } from '../../lib/local/faults.ts';
import { Gate } from '../../lib/local/gate.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { at } from '../job/rows.ts';

function aGate() {
  const faults = new FaultPlan(new HandClock(at(0)));
  const activity = { count: 0 };
  const gate = new Gate('work', 1, { faults, activity });
  const log: string[] = [];
  return {
    gate,
    faults,
    activity,
    log,
    /** Passes, and logs the name once through. */
    pass: (name: string): void => {
      void gate.pass([], 'before').then(() => log.push(name));
    },
    ring: (name: string): void => gate.ring(() => log.push(name)),
    freeze: () => faults.freeze({ step: gate.steps + 1, of: 'work', worker: 1 }),
  };
}

/** Lets calls go on, but no late alarm yet. */
const microtasks = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a gate', () => {
  it('lets calls and alarms through while it is open, and counts the calls as steps', async () => {
    const { gate, log, pass, ring } = aGate();

    pass('call');
    ring('alarm');
    await settled();

    expect(gate.state).toBe('open');
    expect(gate.steps).toBe(1);
    expect(log.toSorted()).toEqual(['alarm', 'call']);
  });

  it('holds everything back while it is frozen, and lets it go in order once thawed, calls first', async () => {
    const { gate, log, pass, ring, freeze } = aGate();
    const frozen = freeze();
    pass('call 1');
    ring('alarm 1');
    pass('call 2');
    ring('alarm 2');
    await settled();
    expect(gate.state).toBe('frozen');
    expect(log).toEqual([]);

    frozen.thaw();
    await settled();

    expect(log).toEqual(['call 1', 'call 2', 'alarm 1', 'alarm 2']);
  });

  it('holds late alarms back once more when it freezes again on the way', async () => {
    const { gate, log, pass, ring, freeze } = aGate();
    const first = freeze();
    pass('call 1');
    ring('alarm');
    await settled();

    const second = freeze();
    first.thaw();
    await microtasks();
    pass('call 2');
    await settled();
    expect(gate.state).toBe('frozen');
    expect(log).toEqual(['call 1']);
    second.thaw();
    await settled();

    expect(log).toEqual(['call 1', 'call 2', 'alarm']);
  });

  it('stands still while it rests, and goes on when it is woken', async () => {
    const { gate, log, pass, ring } = aGate();
    gate.rest();
    pass('call');
    ring('alarm');
    await settled();
    expect(gate.state).toBe('resting');
    expect(log).toEqual([]);

    gate.wake();
    await settled();

    expect(log).toEqual(['call', 'alarm']);
  });

  it.each(['open', 'resting', 'frozen'] as const)(
    'that dies while %s lets nothing through for ever, and tells of its death once',
    async (state) => {
      const { gate, log, pass, ring, freeze } = aGate();
      gate.onDeath(() => log.push('died'));
      if (state === 'frozen') freeze();
      if (state === 'resting') gate.rest();
      if (state !== 'open') pass('call before');
      if (state !== 'open') ring('alarm before');
      await settled();

      gate.die();
      gate.die();
      gate.wake();
      gate.thaw();
      gate.rest();
      pass('call after');
      ring('alarm after');
      await settled();

      expect(gate.state).toBe('dead');
      expect(log).toEqual(['died']);
    },
  );

  it('tells nobody of its death who did not want to hear it any more', () => {
    const { gate, log } = aGate();
    const forget = gate.onDeath(() => log.push('died'));

    forget();
    gate.die();

    expect(log).toEqual([]);
  });

  it('does not wake from a freeze by an invocation, only by a thaw', async () => {
    const { gate, log, pass, freeze } = aGate();
    freeze();
    pass('call');
    await settled();

    gate.rest();
    gate.wake();
    await settled();

    expect(gate.state).toBe('frozen');
    expect(log).toEqual([]);
  });

  it('makes its activity seen when something begins, goes on, rings or thaws', async () => {
    const { activity, pass, ring, freeze } = aGate();
    const rises = async (act: () => void): Promise<boolean> => {
      const before = activity.count;
      act();
      await settled();
      return activity.count > before;
    };
    let frozen = { thaw: (): void => {} };

    expect(await rises(() => pass('call'))).toBe(true);
    expect(await rises(() => ring('alarm'))).toBe(true);
    frozen = freeze();
    pass('frozen call');
    await settled();
    expect(await rises(() => frozen.thaw())).toBe(true);
  });
});
