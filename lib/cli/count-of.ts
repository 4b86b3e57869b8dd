import { misused } from './command.ts';

/** A whole number from 1 on. @throws Failure `usage-wrong`, with the flag's name */
export function countOf(flag: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw misused(`${flag} takes a whole number from 1 on, got "${text}"`);
}
