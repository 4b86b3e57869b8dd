import { permanent } from 'lanekeeper';
import { intentIn } from './address.ts';
import { represented } from './representation.ts';
import { type Exports, missing, type Route, shortly } from './route.ts';

/** 202 where a worker has yet to see it, 200 where it is done or was asked before; both show the export. */
export const cancel =
  ({ jobs, job }: Exports): Route =>
  async (event) => {
    const intentId = intentIn(event);
    const { kind } = await jobs.cancel(job, intentId);
    if (kind === 'finished')
      throw permanent(
        'job-finished',
        `export ${shortly(intentId)} has ended, and what has ended can't be cancelled`,
      );
    const view = await jobs.get(job, intentId);
    if (kind === 'missing' || view === undefined) throw missing(intentId);
    return represented(view, kind === 'requested' ? 202 : 200);
  };
