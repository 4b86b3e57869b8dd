import type { Duration, Instant } from '../kernel/brand.ts';
import { isoTime } from '../kernel/iso-time.ts';
import { between, days, hours, minutes, seconds } from '../kernel/time.ts';
import { misused } from './command.ts';

const units = { s: seconds, m: minutes, h: hours, d: days } as const;

/** Reads an age such as `90s`, `15m`, `2h` or `3d`. @throws Failure `usage-wrong`, with the flag's name */
export function ageOf(flag: string, text: string): Duration {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  if (isUnit(unit)) return units[unit](Number(count));
  throw misused(`${flag} takes an age such as 90s, 15m, 2h or 3d, got "${text}"`);
}

const isUnit = (text: string): text is keyof typeof units => text in units;

const steps = [
  { from: 48 * 3_600_000, unit: 86_400_000, name: 'days' },
  { from: 120 * 60_000, unit: 3_600_000, name: 'h' },
  { from: 120_000, unit: 60_000, name: 'min' },
] as const;

/** A length of time in the largest unit of which it has two: `90 s`, `15 min`, `47 h`, `3 days`. */
export function inWords(length: Duration): string {
  const step = steps.find(({ from }) => length >= from);
  if (step === undefined) return `${Math.floor(length / 1_000)} s`;
  return `${Math.floor(length / step.unit)} ${step.name}`;
}

/** A point in time, and how long ago it was or how long it is until then. */
export function withAge(at: Instant, now: Instant): string {
  const isAhead = at > now;
  const words = inWords(isAhead ? between(now, at) : between(at, now));
  return `${isoTime(at)} (${isAhead ? `in ${words}` : `${words} ago`})`;
}
