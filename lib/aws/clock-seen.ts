import { permanent } from '../kernel/failure.ts';
import { lengths } from '../kernel/settings.ts';
import { spoken } from '../kernel/time.ts';
import type { Examination } from './examination.ts';
import { error } from './finding.ts';

/** When a request was sent and its answer came, by this machine, and the second in which it was answered, by the server; all in epoch milliseconds. */
export interface Reading {
  readonly sent: number;
  readonly received: number;
  readonly date: number;
}

/** The header has whole seconds. */
const resolution = 1_000;

const allowed = spoken(lengths.skew);

/** How far this machine's clock is ahead at least, behind where negative, in milliseconds: all readings are bounds. */
function skewOf(readings: readonly Reading[]): number {
  const ahead = Math.max(0, ...readings.map(({ sent, date }) => sent - date - resolution));
  const behind = Math.max(0, ...readings.map(({ received, date }) => date - received));
  return ahead >= behind ? ahead : -behind;
}

/** What the readings say of this machine's clock: an error where it differs by more than protocols allow. */
export function clockSeen(readings: readonly Reading[]): Examination {
  if (readings.length === 0)
    return { findings: [], looked: ['no clock, since no answer bore a date'] };
  const skew = skewOf(readings);
  if (Math.abs(skew) <= lengths.skew)
    return { findings: [], looked: [`this machine's clock: within ${allowed} of that of AWS`] };
  const sentence = `this machine's clock is at least ${(Math.abs(skew) / 1_000).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} that of AWS, and ${allowed} are allowed for: set it by NTP`;
  return { findings: [error(permanent('clock-skewed', sentence))], looked: [] };
}
