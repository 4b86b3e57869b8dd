import type { Instant } from '../kernel/brand.ts';

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** When a ULID was made: its first ten digits of base 32 count milliseconds. Undefined for a text that is none. */
export function ulidTime(id: string): Instant | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return undefined;
  return [...id.slice(0, 10)].reduce(
    (time, digit) => time * 32 + digits.indexOf(digit),
    0,
  ) as Instant;
}
