import {
  deltaProjection,
  eventHandler,
  type SqsHandler,
  snapshotProjection,
  type World,
} from 'lanekeeper';
import { fileDatasets } from './file-datasets.ts';
import { exportJob } from './job.ts';

/** It only hears of exports, so it knows no dataset. */
const job = exportJob(fileDatasets({}));

/** Its own table, by the world's name. */
const table = 'catalogue';

/** One row per export that ended by success or failure: it shows the last end, and a cancelled export not at all. */
const ends = snapshotProjection({
  of: job,
  name: 'ends',
  table,
  change(event) {
    const { id, intentId, groupId } = event.job;
    const key = { pk: `export#${id}`, sk: 'end' };
    switch (event.type) {
      case 'export.succeeded': {
        const fields = { intentId, groupId, rows: event.data.rows, file: event.result?.key };
        return { kind: 'put', key, fields };
      }
      case 'export.failed':
        return { kind: 'put', key, fields: { intentId, groupId, code: event.data.code } };
      case 'export.cancelled':
        return { kind: 'remove', key };
    }
  },
});

/** One row per group: how many exports succeeded, and how many rows they hold. */
const totals = deltaProjection({
  of: job,
  name: 'totals',
  table,
  change(event) {
    if (event.type !== 'export.succeeded') return { kind: 'skip' };
    const key = { pk: `group#${event.job.groupId}`, sk: 'total' };
    return { kind: 'add', key, add: { exports: 1, rows: event.data.rows } };
  },
  onGap: 'fill',
});

/** Keeps the catalogue of exports that ended, and each group's totals. */
export const catalogue = (world: World): SqsHandler =>
  eventHandler({ consumer: 'catalogue', table, of: job, projections: [ends, totals] }, world);
