import type { Instant } from '../kernel/brand.ts';
import { isCounted, isReported } from '../kernel/counted.ts';
import type { Happening } from '../kernel/happening.ts';

/** What a log says of a happening, with a failure's `code`, `message` and `facts` beside its own fields. */
export interface Line {
  /** Stays at the top of the line: filters on logs count by it. */
  readonly kind: Happening['kind'];
  readonly at: Instant;
  readonly [field: string]: unknown;
}

/**
 * Says what a log must hold of a happening: whatever has a failure, the rare kinds that an operator counts, and what reconcile reports; never a
 * body, nor what was thrown. Answers undefined for what goes well.
 */
export function lineOf(happening: Happening): Line | undefined {
  const { kind } = happening;
  if (!('failure' in happening)) return isCounted(kind) || isReported(kind) ? happening : undefined;
  const { failure, ...rest } = happening;
  const { code, message, facts } = failure;
  return { ...rest, code, message, facts };
}
