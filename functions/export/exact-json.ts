/** A number as its source wrote it, since a JavaScript number would change its value. */
export interface RawNumber {
  readonly rawJSON: string;
}

declare global {
  // In Node since version 21, not yet in TypeScript's library.
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: Source) => unknown,
    ): unknown;
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}
interface Source {
  readonly source?: string;
}

/** Long or with an exponent of three digits: the rare numbers that JavaScript may not hold. */
const doubtful = /[\d.]{16}|\de[+-]?\d{3}/i;

/** As `JSON.parse`, but a number that JavaScript can't hold, such as one beyond 2^53, keeps its digits. */
export function exactJson(text: string): unknown {
  return doubtful.test(text)
    ? JSON.parse(text, (_key, value, { source }) => exactNumber(value, source))
    : JSON.parse(text);
}

function exactNumber(value: unknown, source: string | undefined): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return decimal(String(value)) === decimal(source) ? value : JSON.rawJSON(source);
}

/** The value of a decimal number, written in one way only: its digits without outer zeros, and their exponent. */
function decimal(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return text.includes('Infinity') ? text : '0';
  return `${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
