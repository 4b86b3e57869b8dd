import { describe, expect, it } from 'vitest';
import type { Duration, Instant } from '../../lib/kernel/brand.ts';
import { minutes } from '../../lib/kernel/time.ts';
import { FaultPlan } from '../../lib/local/faults.ts';
import { HandClock } from '../../lib/local/hand-clock.ts';
import { at } from '../job/rows.ts';

function aPlan() {
  const clock = new HandClock(at(0));
  const ends: Instant[] = [];
  const faults = new FaultPlan(clock, (_, until) => ends.push(until));
  return { clock, faults, ends };
}

describe('an outage', () => {
  it.each<[string, readonly Duration[]]>([
    ['alone', [minutes(30)]],
    ['that meets a shorter one', [minutes(30), minutes(1)]],
    ['that meets a longer one', [minutes(1), minutes(30)]],
  ])('%s lasts until the last of them ends, and no longer', (_, lengths) => {
    const { clock, faults, ends } = aPlan();

    for (const length of lengths) faults.outage('dynamodb', length);

    clock.step(at(minutes(30) - 1));
    expect(faults.isOut('dynamodb')).toBe(true);
    clock.step(at(minutes(30)));
    expect(faults.isOut('dynamodb')).toBe(false);
    expect(ends.at(-1)).toBe(at(minutes(30)));
  });

  it('switches off one service alone', () => {
    const { faults } = aPlan();

    faults.outage('s3', minutes(1));

    expect(faults.isOut('s3')).toBe(true);
    expect(faults.isOut('sqs')).toBe(false);
  });

  it('begins anew after an earlier one is over', () => {
    const { clock, faults } = aPlan();
    faults.outage('sqs', minutes(1));
    clock.step(at(minutes(5)));

    faults.outage('sqs', minutes(1));

    expect(faults.isOut('sqs')).toBe(true);
    clock.step(at(minutes(6)));
    expect(faults.isOut('sqs')).toBe(false);
  });
});
