import { permanent } from './failure.ts';

/**
 * Entries of one request can fail one by one, so no caller may put two of a group into it.
 *
 * @throws Failure `request-invalid` for none, for more than 10, and for two of one group
 */
export function checkRequest(entries: readonly { readonly group: string }[]): void {
  const groups = new Set(entries.map(({ group }) => group));
  if (entries.length >= 1 && entries.length <= 10 && groups.size === entries.length) return;
  throw permanent(
    'request-invalid',
    `a request has 1 to 10 entries of as many groups, got ${entries.length} of ${groups.size}`,
  );
}
