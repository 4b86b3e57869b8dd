import { isAcknowledged, type Outcome } from '../kernel/outcome.ts';

/** What SQS is told: these records stay, all others are deleted. */
export interface Response {
  readonly batchItemFailures: { readonly itemIdentifier: string }[];
}

/**
 * The truthful response to a batch: every record that isn't acknowledged is named, also one without any verdict, each id
 * once. An empty id would make SQS keep or delete the wrong records, so it must not get here.
 */
export function response(
  ids: readonly string[],
  verdicts: readonly (Outcome | undefined)[],
): Response {
  const kept = new Set(ids.filter((_, i) => !isAcknowledged(verdicts[i])));
  return { batchItemFailures: [...kept].map((itemIdentifier) => ({ itemIdentifier })) };
}
