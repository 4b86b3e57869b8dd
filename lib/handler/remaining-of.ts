import type { Context } from 'aws-lambda';
import type { Duration } from '../kernel/brand.ts';

/** The time that Lambda leaves an invocation; undefined where the context names no deadline. */
export const remainingOf = (context: Context): Duration | undefined =>
  typeof context?.getRemainingTimeInMillis === 'function'
    ? (context.getRemainingTimeInMillis() as Duration)
    : undefined;

/** Whether less than `margin` is left. */
export const isLate = (context: Context, margin: Duration): boolean =>
  (remainingOf(context) ?? margin) < margin;
