import { describe, expect, it } from 'vitest';
import { seconds } from '../../lib/kernel/time.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { clockContract } from '../contract/clock.contract.ts';
import { at } from '../job/rows.ts';
import { moved } from './moved.ts';

clockContract('the hand-moved clock', () => {
  const clock = new HandClock(at(0));
  return { clock, pass: (length) => moved(clock, length) };
});

describe('a hand-moved clock', () => {
  it('stands still until it is moved, and never goes back', () => {
    const clock = new HandClock(at(5));

    expect(clock.step(at(3))).toBe(false);
    expect(clock.now()).toBe(at(5));
  });

  it('rings one alarm for each step, and stands at its time meanwhile', () => {
    const clock = new HandClock(at(0));
    const rung: number[] = [];
    for (const time of [at(10), at(20)]) clock.alarm(time, () => rung.push(clock.now()));

    expect(clock.step(at(15))).toBe(true);
    expect(clock.step(at(15))).toBe(false);

    expect(rung).toEqual([at(10)]);
    expect(clock.now()).toBe(at(15));
  });

  it('rings alarms of one time in the order in which they were set', () => {
    const clock = new HandClock(at(0));
    const rung: string[] = [];
    for (const name of ['a', 'b', 'c']) clock.alarm(at(10), () => rung.push(name));

    while (clock.step(at(10)));

    expect(rung).toEqual(['a', 'b', 'c']);
  });

  it('tells when the next alarm falls due, passing over those that were cancelled', () => {
    const clock = new HandClock(at(0));
    const cancel = clock.alarm(at(10), () => {});
    clock.alarm(at(20), () => {});

    cancel();

    expect(clock.next()).toBe(at(20));
    expect(new HandClock(at(0)).next()).toBeUndefined();
  });

  it('keeps no alarm of a sleep that was woken early', async () => {
    const clock = new HandClock(at(0));
    const control = new AbortController();
    const asleep = clock.sleep(seconds(60), control.signal);

    control.abort();
    await asleep;

    expect(clock.next()).toBeUndefined();
  });
});
