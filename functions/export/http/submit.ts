import { addressOf, checkAddress } from './address.ts';
import { represented } from './representation.ts';
import type { Exports, Route } from './route.ts';
import { submission } from './submission.ts';

/** 202 for a new export, 200 for one that was there already; both say where it is. */
export const submit =
  ({ jobs, job }: Exports): Route =>
  async (event) => {
    const request = submission(event);
    checkAddress(request.intentId);
    const submitted = await jobs.submit(job, request);
    if (submitted.kind === 'refused') throw submitted.failure;
    const location = addressOf(request.intentId);
    return represented(submitted.job, submitted.kind === 'created' ? 202 : 200, { location });
  };
