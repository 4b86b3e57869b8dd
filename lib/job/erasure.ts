import type { Instant } from '../kernel/brand.ts';
import type { Write } from '../ports/store.ts';
import { changed } from './changed.ts';
import { asRead, versionIs } from './guards.ts';
import type { JobRow } from './job.ts';

/**
 * What an erasure leaves of a final job's row: which job it was and how it ended, and why and when it was erased. Input
 * and its hash, result, failure, reasons and events go; `lastN` and `firstN` say that there were events, so that whoever
 * misses one resyncs. It announces nothing, and the sweeper is told to look.
 */
export const erasure = (job: JobRow, because: string, at: Instant): Write =>
  changed(job, {
    when: [...asRead(job), versionIs(job.version)],
    set: {
      inputHash: '',
      events: [],
      firstN: job.lastN + 1,
      erasedAt: at,
      erasedBecause: because,
    },
    remove: ['input', 'inputKey', 'result', 'failure', 'progress', 'cancelBecause'],
    mark: true,
    at,
  });
