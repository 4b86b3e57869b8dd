import canonicalize from 'canonicalize';
import { Failure } from './failure.ts';

/** What JSON gives back unchanged. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [field: string]: Json | undefined };

/** `T` where JSON gives it back unchanged; where it doesn't, a sentence that nothing fits. */
export type Jsonable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends
        | bigint
        | symbol
        | Date
        | ReadonlyMap<unknown, unknown>
        | ReadonlySet<unknown>
        | Uint8Array
        | ((...all: never[]) => unknown)
    ? 'this does not survive JSON: use a string or a number'
    : T extends object
      ? { [K in keyof T]: Jsonable<T[K]> }
      : T;

/**
 * The one JSON text of a value (RFC 8785: keys sorted, no white space), so that equal values have equal hashes.
 *
 * @throws Failure `not-json` where JSON can't carry the value, such as `undefined`, a bigint, NaN or a cycle
 */
export function canonical(value: unknown): string {
  try {
    const text = canonicalize(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw notJson(value, cause);
  }
  throw notJson(value, undefined);
}

const notJson = (value: unknown, cause: unknown): Failure =>
  new Failure('not-json', `a value that survives JSON is needed, got ${typeof value}`, {
    remedy: 'dead-letter',
    cause,
  });
