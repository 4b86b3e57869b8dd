import { Logger } from '@aws-lambda-powertools/logger';
import { createJobs } from 'lanekeeper';
import { onAws } from 'lanekeeper/aws';
import { failureLog } from './failure-log.ts';
import { fileDatasets } from './file-datasets.ts';
import { apiHandler } from './http/api-handler.ts';
import { exportJob } from './job.ts';
import { logged } from './logged.ts';

const log = new Logger({ serviceName: 'export-api' });
const jobs = createJobs(onAws({ observe: failureLog(log) }));

/** It only submits, so it knows no dataset. */
const job = exportJob(fileDatasets({}));

export const handler = logged(log, apiHandler(jobs, job, log));
