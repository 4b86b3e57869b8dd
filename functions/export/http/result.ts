import { type Failure, permanent, type Result, seconds, transient } from 'lanekeeper';
import { intentIn } from './address.ts';
import { type Exports, missing, type Route, shortly } from './route.ts';

/**
 * Leads to the file. 302, since it is this result that lies elsewhere for a while: the address expires, so a caller keeps
 * ours and asks again. 303 would say that what lies there is something else.
 */
export const result =
  ({ jobs, job }: Exports): Route =>
  async (event) => {
    const intentId = intentIn(event);
    const found = await jobs.result(job, intentId);
    if (found.kind !== 'ready') throw without(found.kind, intentId);
    return {
      statusCode: 302,
      headers: { location: found.url, 'cache-control': 'no-store' },
    };
  };

/** Why there is none: not yet, or not as things are (an operator may retry what failed), or never. */
function without(kind: Exclude<Result['kind'], 'ready'>, intentId: string): Failure {
  const it = `export ${shortly(intentId)}`;
  switch (kind) {
    case 'missing':
      return missing(intentId);
    case 'not-yet':
      return transient('result-not-ready', `${it} has not ended yet: look at its status`, {
        after: seconds(2),
      });
    case 'failed':
      return permanent('job-failed', `${it} failed, so it has no result: its status says why`);
    case 'cancelled':
      return permanent('job-cancelled', `${it} was cancelled, so it never has a result`);
    case 'erased':
      return permanent('job-erased', `${it} was erased, and its file with it`);
    case 'without-result':
      return permanent('job-without-result', `${it} succeeded without writing a file`);
    default:
      return kind satisfies never;
  }
}
