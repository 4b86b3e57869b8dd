import type { JobId } from '../kernel/brand.ts';
import { sha256 } from '../kernel/sha256.ts';

/**
 * The id of the job that an intent means: `<kind>-` and the first 32 hex digits of SHA-256 over the UTF-8 bytes of
 * `kind`, a line feed, `intentId`. Fixed, because rows outlive releases; safe in keys, prefixes and deduplication ids.
 */
export const jobId = (kind: string, intentId: string): JobId =>
  `${kind}-${sha256(`${kind}\n${intentId}`).slice(0, 32)}` as JobId;
