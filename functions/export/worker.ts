import { Logger } from '@aws-lambda-powertools/logger';
import { jobHandler } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { failureLog } from './failure-log.ts';
import { fileDatasets } from './file-datasets.ts';
import { exportJob } from './job.ts';
import { logged } from './logged.ts';

/** The folder in which the datasets are mounted. */
const folder = process.env['DATASETS_FOLDER'] ?? '/mnt/datasets';

const log = new Logger({ serviceName: 'export-worker' });
const world = onAws({ observe: failureLog(log) });

export const handler = logged(log, jobHandler(exportJob(fileDatasets(folder)), world));
